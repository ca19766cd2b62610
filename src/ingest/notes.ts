/** What an ingest has to say besides its rows: counts, what was left out and why, and warnings. */

/** Warnings that are kept; the rest is counted. */
const WARNINGS_MAX = 100;

/** Lost links that are named; the rest is counted. */
const LINKS_MAX = 100;

type Counts = Record<string, number>;

/** As it goes between threads and into JSON. */
export interface IngestNotes {
  /** Readings, differences and rows, by what they are. */
  readonly counts: Counts;
  /** Differences of counters that no table has, by counter. */
  readonly dropped: Counts;
  /** Parameters that are no counters of a target, by name: how often they came. */
  readonly leftOut: Counts;
  /** Where a series could not be continued from what the store has; the first of them. */
  readonly lostLinks: LostLink[];
  /** Nodes whose counters could not be used, by reason. */
  readonly nodesDropped: Counts;
  readonly warnings: string[];
}

/** What a target did between these times is not in the store: the reading before was needed and did not come. */
interface LostLink {
  /** `lustre1-OST0007` */
  readonly target: string;
  readonly kind: string;
  readonly fromUnixNs: bigint;
  readonly toUnixNs: bigint;
}

export function newNotes(): IngestNotes {
  return { counts: {}, dropped: {}, leftOut: {}, lostLinks: [], nodesDropped: {}, warnings: [] };
}

export function count(into: Counts, name: string, by = 1): void {
  const sum = (into[name] ?? 0) + by;
  if (sum !== 0) into[name] = sum;
  else delete into[name];
}

export function warn(notes: IngestNotes, text: string): void {
  if (notes.warnings.includes(text)) return;
  if (notes.warnings.length < WARNINGS_MAX) notes.warnings.push(text);
  else count(notes.counts, "moreWarnings");
}

export function loseLink(notes: IngestNotes, link: LostLink): void {
  count(notes.counts, "lostLinks");
  if (notes.lostLinks.length < LINKS_MAX) notes.lostLinks.push(link);
}

export function mergeNotes(into: IngestNotes, from: IngestNotes): void {
  addCounts(into, from);
  // A batch that was filled again tells the same links again.
  for (const link of from.lostLinks) {
    const same = (one: LostLink) =>
      one.target === link.target && one.kind === link.kind && one.fromUnixNs === link.fromUnixNs;
    if (into.lostLinks.length < LINKS_MAX && !into.lostLinks.some(same)) into.lostLinks.push(link);
  }
  for (const text of from.warnings) warn(into, text);
}

const COUNTED = ["counts", "dropped", "leftOut", "nodesDropped"] as const;

function addCounts(into: IngestNotes, from: IngestNotes, sign: 1 | -1 = 1): void {
  for (const part of COUNTED)
    for (const [name, by] of Object.entries(from[part])) count(into[part], name, sign * by);
}

/** What was counted for a batch can be taken back until the batch is committed, also what was told before. */
export class NotesLedger {
  /** Those that are being counted. */
  readonly notes: IngestNotes = newNotes();
  readonly #told = newNotes();
  #settled = newNotes();

  /** What was counted since the last call. */
  take(): IngestNotes {
    const news = { ...this.notes };
    addCounts(this.#told, news);
    Object.assign(this.notes, newNotes());
    return news;
  }

  settle(): void {
    this.#settled = newNotes();
    addCounts(this.#settled, this.#told);
    addCounts(this.#settled, this.notes);
  }

  takeBack(): void {
    Object.assign(this.notes, newNotes());
    addCounts(this.notes, this.#settled);
    addCounts(this.notes, this.#told, -1);
  }

  /** Whatever `work` counts does not count. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    const before = structuredClone(this.notes);
    const result = await work();
    Object.assign(this.notes, before);
    return result;
  }
}
