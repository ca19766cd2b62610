/** Rows of `readings`: the stretches that one batch adds, joined as long as one follows the other. */
import { type RowSink, storedReadings } from "../../model/index.ts";
import type { InputOrigin } from "../origin.ts";
import { type Coverage, type CoverageEntry, coverageKey } from "./coverage.ts";

/** A file of counters on a target. */
export interface TargetFile {
  readonly fileSystem: string;
  /** `OST0007` */
  readonly target: string;
  readonly kind: string;
  /** Host, where it is known. */
  readonly server: string | null;
}

interface Stretch extends TargetFile {
  readonly fromNs: bigint;
  toNs: bigint;
  readings: number;
  carriedIn: number;
  gaps: number;
  dropped: number;
  synthetic: number;
}

export class ReadingRows {
  readonly #coverage: Coverage;
  readonly #origin: Pick<InputOrigin, "flag">;
  readonly #open = new Map<string, Stretch>();
  readonly #done: Stretch[] = [];
  #news: CoverageEntry[] = [];

  constructor(coverage: Coverage, origin: Pick<InputOrigin, "flag">) {
    this.#coverage = coverage;
    this.#origin = origin;
  }

  get rows(): number {
    return this.#open.size + this.#done.length;
  }

  /** A first reading: what it has was there before. */
  first(file: TargetFile, atNs: bigint, carriedIn: number): void {
    const key = this.#key(file);
    this.#close(key);
    this.#open.set(key, { ...this.#begun(file, atNs, atNs), carriedIn });
    this.cover(key, atNs, atNs);
  }

  /** A difference that went into the tables. */
  add(file: TargetFile, fromNs: bigint, toNs: bigint, gap: boolean, dropped: number): void {
    const key = this.#key(file);
    let stretch = this.#open.get(key);
    if (
      stretch === undefined ||
      stretch.toNs !== fromNs ||
      stretch.server !== file.server ||
      stretch.synthetic !== this.#origin.flag
    ) {
      this.#close(key);
      stretch = this.#begun(file, fromNs, toNs);
      this.#open.set(key, stretch);
    }
    stretch.toNs = toNs;
    stretch.readings++;
    if (gap) stretch.gaps++;
    stretch.dropped += dropped;
    this.cover(key, fromNs, toNs);
  }

  #begun(file: TargetFile, fromNs: bigint, toNs: bigint): Stretch {
    const { flag: synthetic } = this.#origin;
    return { ...file, fromNs, toNs, readings: 0, carriedIn: 0, gaps: 0, dropped: 0, synthetic };
  }

  /** Stretches since the last call, for other threads. */
  news(): CoverageEntry[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }

  /** The batch has this stretch; of tables that tell their times themselves nothing else is needed. */
  cover(key: string, fromNs: bigint, toNs: bigint): void {
    this.#coverage.addPending(key, fromNs, toNs);
    this.#news.push([key, fromNs, toNs]);
  }

  #key({ fileSystem, target, kind }: TargetFile): string {
    return coverageKey(fileSystem, target, kind);
  }

  #close(key: string): void {
    const stretch = this.#open.get(key);
    if (stretch !== undefined) this.#done.push(stretch);
    this.#open.delete(key);
  }

  /** Once for each batch, with the rows that they tell of. */
  async flush(sink: RowSink): Promise<void> {
    const all = [...this.#done.splice(0), ...this.#open.values()];
    this.#open.clear();
    if (all.length === 0) return;
    await sink.append(storedReadings, all.length, {
      file_system: all.map(({ fileSystem }) => fileSystem || null),
      target: all.map(({ target }) => target),
      kind: all.map(({ kind }) => kind),
      server: all.map(({ server }) => server),
      from_unix_ns: BigInt64Array.from(all, ({ fromNs }) => fromNs),
      to_unix_ns: BigInt64Array.from(all, ({ toNs }) => toNs),
      readings: all.map(({ readings }) => readings),
      carried_in: all.map(({ carriedIn }) => carriedIn),
      gaps: all.map(({ gaps }) => gaps),
      dropped: all.map(({ dropped }) => dropped),
      synthetic: Uint8Array.from(all, ({ synthetic }) => synthetic),
    });
  }
}
