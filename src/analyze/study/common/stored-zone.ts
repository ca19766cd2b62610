/** The time zone of answers: as asked, else the one that most runs and jobs of the store name, else UTC. */
import type { Queryable } from "../../../model/index.ts";
import { everyRow, partOr, zonesSql } from "./parts.ts";

export interface ChosenZone {
  readonly zone: string;
  /** Who said so; `none`: nobody, so it is UTC. */
  readonly zoneFrom: "asked" | "store" | "none";
}

export async function chosenZone(db: Queryable, asked: string): Promise<ChosenZone> {
  if (asked !== "") return { zone: asked, zoneFrom: "asked" };
  const zones = partOr(db, "zones", zonesSql(everyRow(db, "runs"), everyRow(db, "jobs")));
  const [row] = await db.rows(`select zone from ${zones} group by zone order by sum(n) desc, zone limit 1`);
  return row === undefined
    ? { zone: "UTC", zoneFrom: "none" }
    : { zone: String(row.zone), zoneFrom: "store" };
}

/** `Europe/Berlin (from the store)`. */
export const zoneText = ({ zone, zoneFrom }: ChosenZone): string =>
  zoneFrom === "asked"
    ? zone
    : `${zone} (${zoneFrom === "store" ? "from the store" : "the store names no zone; use --zone"})`;
