/** Checks seeds, each a scenario with faults; many seeds run on threads. */
import { assert } from "../../../base/assert.ts";
import { builtFile, isBuild } from "../../../node/built.ts";
import { ThreadPool } from "../../../node/thread-pool.ts";
import { checkScenario } from "./check.ts";
import { scenarioOf } from "./scenario.ts";

export interface Violation {
  readonly seed: number;
  readonly invariant: string;
  readonly detail: string;
}

/** Results of a number of runs. */
export interface Tally {
  runs: number;
  complete: number;
  aborted: number;
  /** All processes were killed. */
  nobodyLeft: number;
  events: number;
  /** Reasons of aborts without their numbers, and their counts. */
  reasons: Record<string, number>;
  violations: Violation[];
}

interface ExploreOptions {
  /** The first seed; the others follow. */
  readonly seed: number;
  readonly count: number;
  readonly policies: readonly string[];
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (runs: number) => void;
}

export interface ExploreWork {
  readonly seed: number;
  readonly count: number;
  readonly policies: readonly string[];
}

/** Seeds that a thread gets at a time. */
const CHUNK = 500;
/** A few show the fault; thousands would only fill the memory. */
const VIOLATIONS_MAX = 100;

const emptyTally = (): Tally => ({
  runs: 0,
  complete: 0,
  aborted: 0,
  nobodyLeft: 0,
  events: 0,
  reasons: {},
  violations: [],
});

/** Checks some seeds in this thread. */
export function exploreHere({ seed, count, policies }: ExploreWork): Tally {
  const tally = emptyTally();
  for (let one = seed; one < seed + count; one++) {
    const checked = checkScenario(scenarioOf(one, policies));
    tally.runs++;
    tally.events += checked.events;
    if (checked.violation !== undefined)
      tally.violations.push({ seed: one, invariant: checked.violation, detail: checked.detail });
    else if (checked.outcome === "complete") tally.complete++;
    else if (checked.outcome === "nobody left") tally.nobodyLeft++;
    else {
      tally.aborted++;
      const reason = checked.reason.replace(/\d+/g, "N");
      tally.reasons[reason] = (tally.reasons[reason] ?? 0) + 1;
    }
  }
  assert(isWhole(tally) && tally.runs === count, "every run ends one way");
  return tally;
}

const isWhole = ({ runs, complete, aborted, nobodyLeft, violations }: Tally): boolean =>
  runs === complete + aborted + nobodyLeft + violations.length;

export async function explore(options: ExploreOptions): Promise<Tally> {
  const { seed, count, policies, signal, onProgress } = options;
  const total = emptyTally();
  let next = seed;
  const take = (): ExploreWork | undefined => {
    if (next >= seed + count || signal?.aborted) return undefined;
    const work = { seed: next, count: Math.min(CHUNK, seed + count - next), policies };
    next += work.count;
    return work;
  };
  const add = (tally: Tally) => {
    addTo(total, tally);
    onProgress?.(total.runs);
  };
  const threads = Math.min(options.threads, Math.ceil(count / CHUNK));
  const program = threads > 1 && isBuild ? builtFile("explore-worker.js") : undefined;
  if (program !== undefined) await onThreads(program, threads, take, add);
  else
    for (let work = take(); work !== undefined; work = take()) {
      add(exploreHere(work));
      // Lets signals in.
      await new Promise((resolve) => setImmediate(resolve));
    }
  assert(signal?.aborted === true || total.runs === count, "every seed was run once");
  total.violations.sort((a, b) => a.seed - b.seed);
  return total;
}

async function onThreads(
  program: string,
  threads: number,
  take: () => ExploreWork | undefined,
  add: (tally: Tally) => void,
): Promise<void> {
  const pool = new ThreadPool<ExploreWork, Tally>({ program, threads });
  const runAll = async () => {
    for (let work = take(); work !== undefined; work = take()) add(await pool.run(work));
  };
  try {
    await Promise.all(Array.from({ length: threads }, runAll));
  } finally {
    await pool.stop();
  }
}

function addTo(total: Tally, tally: Tally): void {
  total.runs += tally.runs;
  total.complete += tally.complete;
  total.aborted += tally.aborted;
  total.nobodyLeft += tally.nobodyLeft;
  total.events += tally.events;
  for (const [reason, times] of Object.entries(tally.reasons))
    total.reasons[reason] = (total.reasons[reason] ?? 0) + times;
  total.violations.push(...tally.violations.slice(0, VIOLATIONS_MAX - total.violations.length));
}
