/** What each target did in each minute: the sum of jobs, and logins and services beside them. */
import { Random } from "../../base/prng.ts";
import { mdtCalls, mdtUsecs } from "./metadata-operations.ts";
import { type Site, STREAM, targetName } from "./site.ts";
import type { MinuteSink } from "./spread.ts";
import { serverUsecs } from "./target-times.ts";

/** Columns of `minutes` and `targets` that a row of an OST, or of an MDT, has. */
export const OST_COLUMNS = ["bytes_read", "bytes_written", "reads", "writes", "read_usecs", "write_usecs"];
export const MDT_COLUMNS =
  "opens closes mknods metadata_calls getattrs setattrs unlinks metadata_usecs".split(" ");
export const COUNTED_COLUMNS = [...OST_COLUMNS, ...MDT_COLUMNS];

/** Numbers of targets, `CELLS` for each: those of an OST or of an MDT, in the order of their columns. */
export type TargetCells = Float64Array;
const CELLS = MDT_COLUMNS.length;
const PLACES: Readonly<Record<string, number>> = Object.fromEntries(
  [OST_COLUMNS, MDT_COLUMNS].flatMap((names) => names.map((name, at) => [name, at])),
);
export const cellOf = (column: string): number => PLACES[column] as number;

export function targetNames(site: Site): readonly string[] {
  return Array.from({ length: site.osts + site.mdtWeights.length }, (_, i) => targetName(site, i));
}

/** Servers have eight OSTs or two MDTs each. */
export function serverName(site: Pick<Site, "osts">, target: number): string {
  const isMdt = target >= site.osts;
  return isMdt ? `mds${Math.floor((target - site.osts) / 2)}` : `oss${Math.floor(target / 8)}`;
}

/** Numbers of `MDT_COLUMNS` from the four that a job's row has. */
export function mdtCells(opens: number, closes: number, mknods: number, metadata: number): readonly number[] {
  const calls = mdtCalls(opens, closes, mknods, metadata);
  const { getattr, setattr, unlink } = calls;
  return [opens, closes, mknods, metadata, getattr, setattr, unlink, mdtUsecs(calls)];
}

/** Minutes that are kept until no later job can reach them: a day, for jobs come in the order of their starts. */
const KEPT = 2048;

export class TargetSums implements MinuteSink {
  readonly #site: Site;
  readonly #targets: number;
  readonly #cells: TargetCells;
  #from: number;

  constructor(site: Site, firstMinute: number) {
    this.#site = site;
    this.#targets = site.osts + site.mdtWeights.length;
    this.#cells = new Float64Array(KEPT * this.#targets * CELLS);
    this.#from = firstMinute;
  }

  ost(
    target: number,
    minute: number,
    read: number,
    written: number,
    reads: number,
    writes: number,
    _begun: boolean,
    readUsecs: number,
    writeUsecs: number,
  ): void {
    this.#add(target, minute, [read, written, reads, writes, readUsecs, writeUsecs]);
  }

  mdt(target: number, minute: number, opens: number, closes: number, mknods: number, metadata: number): void {
    this.#add(target, minute, mdtCells(opens, closes, mknods, metadata));
  }

  #add(target: number, minute: number, values: readonly number[]): void {
    const cells = this.#cells;
    const at = ((minute % KEPT) * this.#targets + target) * CELLS;
    for (let i = 0; i < values.length; i++) cells[at + i] = (cells[at + i] as number) + (values[i] as number);
  }

  /** Hands out and forgets the minutes before `minute`: `take` gets the place of each target's numbers. */
  release(
    minute: number,
    take: (minute: number, target: number, cells: TargetCells, at: number) => void,
  ): void {
    const random = new Random(0);
    for (; this.#from < minute; this.#from++) {
      random.restart(this.#site.options.seed, STREAM.background, this.#from);
      for (let target = 0; target < this.#targets; target++) {
        const at = ((this.#from % KEPT) * this.#targets + target) * CELLS;
        this.#background(target, this.#from, random);
        take(this.#from, target, this.#cells, at);
        this.#cells.fill(0, at, at + CELLS);
      }
    }
  }

  #background(target: number, minute: number, random: Random): void {
    if (target < this.#site.osts) {
      const reads = random.below(8);
      const writes = random.below(4);
      const [read, written] = [reads * 65_536, writes * 65_536];
      const usecs = (bytes: number) => serverUsecs(bytes, 0, 0);
      this.#add(target, minute, [read, written, reads, writes, usecs(read), usecs(written)]);
    } else {
      const opens = random.below(30);
      const closes = Math.floor(opens * 0.98);
      this.#add(target, minute, mdtCells(opens, closes, 0, opens + closes + 60));
    }
  }
}
