/**
 * Lists of OSTs, each of which is read once however many accesses have it: `reuse_layouts` has one row per text, with the
 * hash by which accesses name it.
 */
import type { Queryable } from "../../../model/index.ts";
import { partOr } from "../common/parts.ts";
import { exact, number } from "./item.ts";

/** A layout is one number, or some with spaces between them; -1 among them is a stripe whose OST is not known. */
const KNOWN = "try_cast(osts as uinteger) is not null or (contains(osts, ' ') and trim(osts) <> '')";
/** Texts that are held at a time. */
const TEXTS_MOST = 250_000;

export const LAYOUTS = "select distinct osts from reuse_input";

export async function layoutTexts(db: Queryable): Promise<void> {
  await db.run(`create or replace table reuse_layouts as
    select osts, hash(osts) as number, coalesce(${KNOWN}, false) as known
    from (select distinct osts from ${partOr(db, "layouts", LAYOUTS)})`);
}

/** Hashes of texts that are no layout. */
export async function noLayouts(db: Queryable): Promise<bigint[]> {
  const rows = await db.rows("select distinct number from reuse_layouts where not known");
  return rows.map((row) => exact(row.number));
}

/** Calls `take` with the hash and the OSTs of each layout. */
export async function eachLayout(
  db: Queryable,
  take: (number: bigint, osts: readonly number[]) => void,
): Promise<void> {
  const [{ texts, hashes } = { texts: 0, hashes: 0 }] = await db.rows(
    "select count(*) as texts, count(distinct number) as hashes from reuse_layouts",
  );
  if (number(texts) !== number(hashes)) throw new Error("two layouts have the same hash");
  const slices = Math.ceil(number(texts) / TEXTS_MOST);
  for (let slice = 0; slice < slices; slice++) {
    const rows = await db.rows(
      `select number, osts from reuse_layouts where known and number % ${slices} = ${slice}`,
    );
    for (const row of rows) take(exact(row.number), ostsIn(String(row.osts)));
  }
}

/** What is between spaces and no number of an OST stands for a stripe that is not known. */
const ostsIn = (text: string): number[] =>
  text
    .split(" ")
    .filter((part) => /^\d+$/.test(part))
    .map(Number)
    .filter((ost) => ost < 2 ** 32);
