/** Whether our study and the peer's say the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface PeerResult {
  readonly pandas: string;
  /** Seconds. */
  readonly load: number;
  readonly compute: number;
  readonly rest: number;
  /** Bytes of address space. */
  readonly spaceAtImport: number;
  readonly spaceAtMost: number;
  readonly items: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
  /** Figure 2: bin of the data, bin of the runs, files. */
  readonly histogram: readonly (readonly [number, number, number])[];
}

export interface OurResult {
  readonly items: Readonly<
    Record<
      string,
      {
        readonly values: Readonly<Record<string, number | string | null>>;
        readonly dropped: Readonly<Record<string, number>>;
      }
    >
  >;
  readonly seconds: Readonly<Record<string, number>>;
}

const RELATIVE = 1e-6;
/** For what should be zero: a spread of equal values. */
const ABSOLUTE = 1e-12;

/** One line per value that differs; `compared` counts all. */
export function compare(
  ours: OurResult,
  folder: string,
  peer: PeerResult,
): { compared: number; lines: string[] } {
  let compared = 0;
  const lines: string[] = [];
  const check = (name: string, one: number | string | null | undefined, other: number | null | undefined) => {
    compared++;
    if (!same(one, other)) lines.push(`${name}\tours ${one ?? "nothing"}\tpandas ${other ?? "nothing"}`);
  };
  for (const [item, values] of Object.entries(peer.items))
    for (const [key, value] of Object.entries(values))
      check(`${item} ${key}`, ours.items[item]?.values[key], value);
  const cells = figureCells(folder);
  const theirs = new Map(peer.histogram.map(([x, y, n]) => [`${x} ${y}`, n]));
  for (const cell of new Set([...cells.keys(), ...theirs.keys()]))
    check(`A02 figure 2, cell ${cell}`, cells.get(cell), theirs.get(cell));
  return { compared, lines };
}

function same(one: number | string | null | undefined, other: number | null | undefined): boolean {
  if (one === null || one === undefined || other === null || other === undefined)
    return one === null && other === null;
  const [a, b] = [Number(one), other];
  return Math.abs(a - b) <= RELATIVE * Math.max(Math.abs(a), Math.abs(b)) + ABSOLUTE;
}

/** Cells of figure 2 as written with -o; data in quarters of a decade, runs by their first digit. */
function figureCells(folder: string): Map<string, number> {
  const [, ...rows] = readFileSync(join(folder, "figure-2-data-and-runs.csv"), "utf8").trim().split("\r\n");
  const cells = new Map<string, number>();
  for (const row of rows) {
    const [data = 0, , runs = 0, , files = 0] = row.split(",").map(Number);
    // Files that moved nothing stand in the gutter.
    if (!(data > 0) || files === 0) continue;
    const power = Math.floor(Math.log10(runs) + 1e-9);
    cells.set(`${Math.round(Math.log10(data) * 4)} ${9 * power + Math.round(runs / 10 ** power) - 1}`, files);
  }
  return cells;
}
