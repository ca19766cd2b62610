/** Warnings of an import that several formats give, or that are joined later. */
import { formatMany } from "../base/units.ts";

export const negativeWarning = (module: string, count: number): string =>
  `${count} ${module} counters or times are negative or out of range and were left out`;

/** What is wrong with nodes of a job: how many by warning, as lines. */
export const nodeWarningLines = (nodes: Iterable<readonly [what: string, nodes: number]>): string[] =>
  [...nodes].map(([what, count]) => `${formatMany(count, "node")}: ${what}`);

/**
 * Warnings of several rows of one job: nodes with the same warning are added up, other lines stand once.
 * @param nodeWarnings what the rows say of nodes, a JSON object a line; rows of older stores have none
 */
export function joinedWarnings(warnings: string, nodeWarnings: string): string[] {
  const nodes = new Map<string, number>();
  const others = new Set(warnings.split("\n").filter(Boolean));
  for (const row of nodeWarnings.split("\n").filter(Boolean)) {
    const counted = Object.entries(JSON.parse(row) as Record<string, number>);
    for (const line of nodeWarningLines(counted)) others.delete(line);
    for (const [what, count] of counted) nodes.set(what, (nodes.get(what) ?? 0) + count);
  }
  return [...nodeWarningLines(nodes), ...others];
}
