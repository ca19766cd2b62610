/** What an ingest has to say besides its rows: counts, what was left out and why, and warnings. */

/** Warnings that are kept; the rest is counted. */
const WARNINGS_MAX = 100;

export type Counts = Record<string, number>;

/** As it goes between threads and into JSON. */
export interface IngestNotes {
  /** Readings, differences and rows, by what they are. */
  readonly counts: Counts;
  /** Differences of counters that no table has, by counter. */
  readonly dropped: Counts;
  /** Nodes whose counters could not be used, by reason. */
  readonly nodesDropped: Counts;
  readonly warnings: string[];
}

export function newNotes(): IngestNotes {
  return { counts: {}, dropped: {}, nodesDropped: {}, warnings: [] };
}

export function count(into: Counts, name: string, by = 1): void {
  if (by !== 0) into[name] = (into[name] ?? 0) + by;
}

export function warn(notes: IngestNotes, text: string): void {
  if (notes.warnings.includes(text)) return;
  if (notes.warnings.length < WARNINGS_MAX) notes.warnings.push(text);
  else count(notes.counts, "moreWarnings");
}

export function mergeNotes(into: IngestNotes, from: IngestNotes): void {
  for (const part of ["counts", "dropped", "nodesDropped"] as const)
    for (const [name, by] of Object.entries(from[part])) count(into[part], name, by);
  for (const text of from.warnings) warn(into, text);
}
