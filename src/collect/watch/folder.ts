/** Rates from the newest segment of each server below some folders. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { FormatError, inFile, UsageError } from "../../base/errors.ts";
import { bytesSource } from "../../base/source.ts";
import { decodeJobId, fileSystemOf } from "../../formats/lustre/index.ts";
import { readSegment, type SegmentState } from "../../formats/samples/index.ts";
import { addRates, type LiveJob, type LiveLoad, type LiveTarget, type LoadRates } from "../../model/index.ts";
import { readToEnd } from "../files.ts";
import { addGrowth, addGrownTime, noValues, TIMES, type Values } from "../metrics/operations.ts";

const SEGMENT = /^(.+)-(\d{8}T\d{6}\.\d{9}Z)\.ndjson$/;
/** States of targets come every five minutes, however short the interval is. */
const LOOK_BACK_MS = 330_000;
const LOOK_BACK_SEGMENTS = 400;
const SEGMENT_BYTES_MAX = 1 << 30;

interface TargetSums {
  readonly seconds: number;
  readonly atUnix: number;
  readonly server: string;
  readonly values: Values;
  readonly times: Values;
}

interface JobSums {
  rates: LoadRates;
  targets: number;
}

export class WatchedFolders {
  readonly #names: string;
  readonly #folders: readonly string[];
  /** By target; kept until a later segment has new ones. */
  readonly #states = new Map<string, SegmentState>();
  /** The last segment of each server whose states were read. */
  readonly #read = new Map<string, string>();

  /** Folders of `collect server --dir`, or their segments. */
  constructor(folders: readonly string[]) {
    this.#names = folders.join(", ");
    this.#folders = folders.map((folder) => {
      if (!inFile(folder, () => statSync(folder)).isDirectory())
        throw new UsageError(`${folder}: no folder; name the --dir of plimsoll collect server`);
      const inside = join(folder, "segments");
      return existsSync(inside) ? inside : folder;
    });
  }

  /** A segment that is taken away meanwhile is passed over. */
  read(): LiveLoad {
    const targets = new Map<string, TargetSums>();
    const jobs = new Map<string, JobSums>();
    const notices: string[] = [];
    let [fromNs, toNs] = [2n ** 63n, 0n];
    let synthetic = false;
    for (const [server, paths] of this.#newest()) {
      const known = this.#read.get(server) ?? "";
      for (const path of paths.slice(0, -1)) if (path > known) this.#readStates(path);
      const last = paths.at(-1) as string;
      this.#read.set(server, last);
      try {
        this.#readSegment(last, targets, jobs, (header) => {
          if (header.fromNs < fromNs) fromNs = header.fromNs;
          if (header.toNs > toNs) toNs = header.toNs;
          synthetic ||= /\(synthetic\)$/.test(header.collector);
        });
      } catch (error) {
        if (!(error instanceof FormatError)) throw error;
        notices.push(error.message);
      }
    }
    if (toNs === 0n && notices.length === 0)
      throw new UsageError(
        `${this.#names}: no segments yet; is plimsoll collect server --dir running there?`,
      );
    if (toNs > 0n && targets.size === 0)
      notices.push("first sample of a collector: rates follow with the next one");
    return {
      fromUnix: Number(fromNs < toNs ? fromNs : toNs) / 1e9,
      toUnix: Number(toNs) / 1e9,
      targets: [...targets].map(([name, sums]) => this.#target(name, sums)),
      jobs: [...jobs].map(([id, { rates, targets: count }]): LiveJob => {
        return { id, user: null, targets: count, ...rates };
      }),
      notices,
      synthetic,
    };
  }

  /** The last segments of each server, in the order of time. */
  #newest(): Map<string, string[]> {
    const found = new Map<string, { stamp: string; path: string }[]>();
    for (const folder of this.#folders)
      for (const name of readdirSync(folder)) {
        const [, server, stamp] = SEGMENT.exec(name) ?? [];
        if (server === undefined || stamp === undefined) continue;
        const list = found.get(server) ?? [];
        found.set(server, list);
        list.push({ stamp, path: join(folder, name) });
      }
    return new Map(
      [...found].map(([server, list]) => {
        const sorted = list.sort((a, b) => (a.stamp < b.stamp ? -1 : 1)).slice(-LOOK_BACK_SEGMENTS);
        const last = millisecondsOf(sorted.at(-1)?.stamp ?? "");
        const recent = sorted.filter(({ stamp }) => last - millisecondsOf(stamp) <= LOOK_BACK_MS);
        return [server, recent.map(({ path }) => path)];
      }),
    );
  }

  #readStates(path: string): void {
    try {
      readSegment(bytesSource(readToEnd(path, SEGMENT_BYTES_MAX), path), {
        target: () => {},
        job: () => {},
        state: (state) => this.#keep(state),
      });
    } catch {
      // Older segments only add fill levels of targets.
    }
  }

  #keep(state: SegmentState): void {
    if (state.target === undefined) return;
    const before = this.#states.get(state.target);
    this.#states.set(state.target, { ...state, numbers: { ...before?.numbers, ...state.numbers } });
  }

  #readSegment(
    path: string,
    targets: Map<string, TargetSums>,
    jobs: Map<string, JobSums>,
    onHeader: (header: { fromNs: bigint; toNs: bigint; collector: string }) => void,
  ): void {
    let server = "";
    const jobSeconds = new Map<string, number>();
    readSegment(bytesSource(readToEnd(path, SEGMENT_BYTES_MAX), path), {
      header: (header) => {
        server = header.host;
        onHeader(header);
      },
      target: ({ target, kind, fromNs, toNs, counters }) => {
        if (fromNs === undefined) return;
        const seconds = Number(toNs - fromNs) / 1e9;
        if (kind === "job_stats") jobSeconds.set(target, seconds);
        if (kind !== "ost_stats" && kind !== "md_stats") return;
        const [values, times] = [noValues(), TIMES.map(() => 0n)];
        for (const { name, unit, samples, sum } of counters) {
          addGrowth(values, name, unit, samples, sum);
          addGrownTime(times, name, unit, sum);
        }
        targets.set(target, { seconds, atUnix: Number(toNs) / 1e9, server, values, times });
      },
      job: ({ target, id, counters }) => {
        const values = noValues();
        for (const { name, unit, samples, sum } of counters) addGrowth(values, name, unit, samples, sum);
        const name = decodeJobId(id);
        const rates = ratesOf(values, jobSeconds.get(target) ?? Number.NaN);
        const sums = jobs.get(name);
        if (sums === undefined) jobs.set(name, { rates, targets: 1 });
        else {
          sums.rates = addRates(sums.rates, rates);
          sums.targets++;
        }
      },
      state: (state) => this.#keep(state),
    });
  }

  #target(name: string, { seconds, atUnix, server, values, times }: TargetSums): LiveTarget {
    const { numbers = {}, status } = this.#states.get(name) ?? {};
    const fileSystem = fileSystemOf(name);
    const mean = (time: number, calls: number) =>
      (times[time] as bigint) > 0n && (values[calls] as bigint) > 0n
        ? Number(times[time]) / Number(values[calls]) / 1e6
        : null;
    return {
      fileSystem: fileSystem === "" ? null : fileSystem,
      target: fileSystem === "" ? name : name.slice(fileSystem.length + 1),
      server,
      ...ratesOf(values, seconds),
      ...{ secondsPerRead: mean(0, 2), secondsPerWrite: mean(1, 3), secondsPerOperation: mean(2, 4) },
      bytesUsedShare: usedShare(numbers.bytes_total, numbers.bytes_available ?? numbers.bytes_free),
      inodesUsedShare: usedShare(numbers.inodes_total, numbers.inodes_free),
      recovery: status ?? null,
      atUnix,
    };
  }
}

/** `20261115T173047.123456789Z` */
const millisecondsOf = (stamp: string): number =>
  Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d\.\d{3})\d*Z$/, "$1-$2-$3T$4:$5:$6Z"));

function ratesOf(values: Values, seconds: number): LoadRates {
  const [bytesRead = 0, bytesWritten = 0, reads = 0, writes = 0, operations = 0] = values.map(
    (value) => Number(value) / seconds,
  );
  return { bytesRead, bytesWritten, reads, writes, operations };
}

const usedShare = (total: bigint | undefined, free: bigint | undefined): number | null =>
  total === undefined || free === undefined || total === 0n ? null : 1 - Number(free) / Number(total);
