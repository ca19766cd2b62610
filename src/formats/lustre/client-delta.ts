/**
 * Client counters before and after a job: the difference on each node, and their sum over the nodes. Small files, so
 * values are plain BigInts here.
 */
import { difference, FELL, INVALID } from "./difference.ts";
import type { LustreItem } from "./parser.ts";
import { Reading, SAMPLES, SUM, WORDS } from "./reading.ts";
import { NO_STAMP } from "./stamp.ts";
import { isLnetCounter } from "./values.ts";

/** `whole`: after minus before. `remounted`, `cleared`: counters began again in between, what came after is there. */
type MountFate = "whole" | "remounted" | "cleared" | "unmounted";

interface CounterDelta {
  readonly name: string;
  readonly unit: string;
  readonly samples: bigint;
  readonly sum: bigint;
}

interface MountDelta {
  readonly fileSystem: string;
  readonly mount: string;
  readonly fate: MountFate;
  readonly counters: readonly CounterDelta[];
  /** Counters that were negative and were left out. */
  readonly invalid: number;
}

export interface NodeDelta {
  /** False when one side is missing: no data, which is not zero. */
  readonly complete: boolean;
  readonly mounts: readonly MountDelta[];
  /** Counters of the network, for all file systems of the node together. */
  readonly lnet: ReadonlyMap<string, bigint>;
  /** The client counted only one process or group (`stats_track_*`): its counters say nothing about the job. */
  readonly restricted: boolean;
}

const out = new Uint32Array(4);
const outWords = new BigUint64Array(out.buffer);

/** Readings must share one table of counters. */
export function clientDelta(
  before: readonly LustreItem[] | undefined,
  after: readonly LustreItem[] | undefined,
): NodeDelta {
  if (before === undefined || after === undefined)
    return {
      complete: false,
      mounts: [],
      lnet: new Map(),
      restricted: isRestricted([...(before ?? []), ...(after ?? [])]),
    };
  const mounts = llite(after).map((now) =>
    mountDelta(
      llite(before).find((then) => then.target === now.target),
      now,
    ),
  );
  const gone = llite(before).filter((then) => !llite(after).some((now) => now.target === then.target));
  for (const { fileSystem, mount } of gone) {
    // When the file system was mounted again, the new mount tells; what the old one had since is lost either way.
    mounts.push({ fileSystem, mount, fate: "unmounted", counters: [], invalid: 0 });
  }
  return {
    complete: true,
    mounts,
    lnet: lnetDelta(before, after),
    restricted: isRestricted([...before, ...after]),
  };
}

function llite(items: readonly LustreItem[]): Reading[] {
  return items.filter((item): item is Reading => item instanceof Reading && item.kind === "llite_stats");
}

function mountDelta(before: Reading | undefined, after: Reading): MountDelta {
  const { fileSystem, mount } = after;
  if (before === undefined || before.rows === 0)
    return { fileSystem, mount, fate: "remounted", ...wholeCounters(after) };
  const starts = [before.startNs[0], after.startNs[0]];
  const isCleared = !starts.includes(NO_STAMP) && starts[0] !== starts[1];
  const grown = isCleared ? undefined : grownCounters(before, after);
  if (grown === undefined) return { fileSystem, mount, fate: "cleared", ...wholeCounters(after) };
  return { fileSystem, mount, fate: "whole", ...grown };
}

type Counted = Pick<MountDelta, "counters" | "invalid">;

function wholeCounters(reading: Reading): Counted {
  const all = reading.counters().map(({ name, unit, samples, sum = 0n }) => ({ name, unit, samples, sum }));
  const counters = all.filter(({ samples, sum }) => samples >= 0n && sum >= 0n);
  return { counters, invalid: all.length - counters.length };
}

/** Undefined when a counter fell: zero for one that is no longer printed, unless its line may be one that cannot be read. */
function grownCounters(before: Reading, after: Reading): Counted | undefined {
  const found: CounterDelta[] = [];
  let invalid = 0;
  for (let entry = 0; entry < before.entries; entry++) {
    const column = before.column[entry] as number;
    const isGone = before.value(entry, SAMPLES) !== 0n && after.entryOf(0, column) < 0;
    if (isGone && after.notes.brokenLines === 0) return undefined;
  }
  for (let entry = 0; entry < after.entries; entry++) {
    const column = after.column[entry] as number;
    const then = before.entryOf(0, column);
    let samples = after.value(entry, SAMPLES);
    let sum = after.value(entry, SUM);
    if (then >= 0) {
      const first = difference(
        after.halves,
        entry * WORDS + SAMPLES,
        before.halves,
        then * WORDS + SAMPLES,
        out,
        0,
      );
      const second = difference(after.halves, entry * WORDS + SUM, before.halves, then * WORDS + SUM, out, 1);
      if (first === FELL || second === FELL) return undefined;
      if (first === INVALID || second === INVALID) {
        invalid++;
        continue;
      }
      samples = outWords[0] as bigint;
      sum = outWords[1] as bigint;
    } else if (samples < 0n || sum < 0n) {
      invalid++;
      continue;
    }
    const { names, units } = after.table;
    found.push({ name: names[column] as string, unit: units[column] as string, samples, sum });
  }
  return { counters: found, invalid };
}

function lnetDelta(before: readonly LustreItem[], after: readonly LustreItem[]): Map<string, bigint> {
  const values = (items: readonly LustreItem[]) =>
    items.flatMap((item) => (item.form === "values" && item.kind === "lnet_stats" ? item.values : []));
  const then = new Map(values(before).map(({ key, value }) => [key, value]));
  const delta = new Map<string, bigint>();
  for (const { key, value } of values(after)) {
    const old = then.get(key);
    if (!isLnetCounter(key) || old === undefined || !isCount(value) || !isCount(old)) continue;
    const grown = BigInt(value) - BigInt(old);
    // The module was loaded again: it counts from 0.
    delta.set(key, grown >= 0n ? grown : BigInt(value));
  }
  return delta;
}

/** Below 2^63: a negative number may be printed without its sign. */
const isCount = (text: string) => /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 63n;

function isRestricted(items: readonly LustreItem[]): boolean {
  return items.some(
    (item) =>
      item.form === "values" &&
      /stats_track_(pid|ppid|gid)$/.test(item.param) &&
      item.values.some(({ value }) => value !== "" && !/^(ignored|-1|0)\b/.test(value)),
  );
}

/** Sums of one job over its nodes. */
export class JobClientSums {
  readonly counters = new Map<string, { name: string; unit: string; samples: bigint; sum: bigint }>();
  readonly lnet = new Map<string, bigint>();
  /** Pairs that were added, and of those: with one side missing, remounted, cleared, unmounted, restricted. */
  pairs = 0;
  incomplete = 0;
  remounted = 0;
  cleared = 0;
  unmounted = 0;
  restricted = 0;
  readonly #nodes = new Set<string>();

  /** Nodes with a whole pair; compare with the number that the scheduler gave. */
  get nodes(): number {
    return this.#nodes.size;
  }

  /** A requeued job has several pairs on a node: all of them are added. */
  add(node: string, delta: NodeDelta): void {
    this.pairs++;
    if (!delta.complete) {
      this.incomplete++;
      return;
    }
    if (delta.restricted) {
      this.restricted++;
      return;
    }
    this.#nodes.add(node);
    for (const { fate, counters } of delta.mounts) {
      if (fate !== "whole") this[fate]++;
      for (const counter of counters) this.#addCounter(counter);
    }
    for (const [key, value] of delta.lnet) this.lnet.set(key, (this.lnet.get(key) ?? 0n) + value);
  }

  /** Samples of a counter in any of its units; bytes of `read_bytes` are its `sum`. */
  samples(name: string): bigint {
    let all = 0n;
    for (const counter of this.counters.values()) if (counter.name === name) all += counter.samples;
    return all;
  }

  sum(name: string, unit: string): bigint {
    return this.counters.get(`${unit} ${name}`)?.sum ?? 0n;
  }

  #addCounter({ name, unit, samples, sum }: CounterDelta): void {
    const key = `${unit} ${name}`;
    const known = this.counters.get(key);
    if (known === undefined) this.counters.set(key, { name, unit, samples, sum });
    else {
      known.samples += samples;
      known.sum += sum;
    }
  }
}
