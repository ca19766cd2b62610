/** Warnings of an import that several formats give, or that are joined later. */
import { formatMany } from "../base/units.ts";

export const negativeWarning = (module: string, count: number): string =>
  `${count} ${module} counters or times are negative or out of range and were left out`;

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
