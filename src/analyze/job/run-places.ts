/** The runs of a job: where each stands, and which layers have records of several. */
import type { Table } from "../../model/index.ts";

/** Where a run stands in its job. */
export interface RunPlace {
  /** Added to its ranks. */
  readonly rankBase: number;
  /** Added to its times, seconds. */
  readonly shiftSeconds: number;
}

/** Undefined when no run of the table is moved. */
export function placeByRow(
  table: Table,
  placeOf: (runId: string) => RunPlace,
): ((row: number) => RunPlace) | undefined {
  const runs = table.texts("run_id");
  const places = new Map<string, RunPlace>();
  for (let row = 0; row < table.rows; row++) {
    const runId = runs.at(row) ?? "";
    if (!places.has(runId)) places.set(runId, placeOf(runId));
  }
  const isMoved = [...places.values()].some((one) => one.rankBase !== 0 || one.shiftSeconds !== 0);
  return isMoved ? (row) => places.get(runs.at(row) ?? "") as RunPlace : undefined;
}

/** A run has one record of a file in a layer; only those of several runs can meet. */
export function layersOfSeveralRuns(table: Table): Set<string> {
  const [runs, layers] = [table.texts("run_id"), table.texts("layer")];
  const runOf = new Map<string, string>();
  const several = new Set<string>();
  for (let row = 0; row < table.rows; row++) {
    const [run, layer] = [runs.at(row) ?? "", layers.at(row) ?? ""];
    const known = runOf.get(layer);
    if (known === undefined) runOf.set(layer, run);
    else if (known !== run) several.add(layer);
  }
  return several;
}
