/** Warnings of an import that a study counts later: written and read in one place. */

export const negativeWarning = (module: string, count: number): string =>
  `${count} ${module} counters or times are negative and were left out`;

/** How many, over all warnings of a run, one a line. */
export function negativesIn(warnings: string): number {
  const found = warnings.matchAll(/^(\d+) \S+ counters or times are negative/gm);
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
}
