/** Warnings of an import that others count later: written and read in one place. */
import { formatMany } from "../base/units.ts";

export const negativeWarning = (module: string, count: number): string =>
  `${count} ${module} counters or times are negative or out of range and were left out`;

/** How many, over all warnings of a run, one a line. */
export function negativesIn(warnings: string): number {
  const found = warnings.matchAll(/^(\d+) \S+ counters or times are negative/gm);
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** What is wrong with nodes of a job. */
export const nodesWarning = (nodes: number, what: string): string => `${formatMany(nodes, "node")}: ${what}`;

/** Lines of several rows of one job: nodes with the same warning are added up, other lines stand once. */
export function joinedNodeWarnings(warnings: string): string[] {
  const nodes = new Map<string, number>();
  const others = new Set<string>();
  for (const line of warnings.split("\n").filter(Boolean)) {
    const [, count, what] = /^([\d,]+) nodes?: (.*)$/.exec(line) ?? [];
    if (count === undefined || what === undefined) others.add(line);
    else nodes.set(what, (nodes.get(what) ?? 0) + Number(count.replaceAll(",", "")));
  }
  return [...[...nodes].map(([what, count]) => nodesWarning(count, what)), ...others];
}
