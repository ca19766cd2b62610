/** Targets whose speeds are known: against the ideal from the rates, and against what the simulator says. */
import { runAdaptive } from "../../src/adaptive/sim/host/run.ts";
import { makeWorld, withDefaults } from "../../src/adaptive/sim/storage/index.ts";
import {
  type Bench,
  cell,
  freshTargets,
  interleaved,
  type Method,
  METHODS,
  median,
  methodWords,
  MIB,
  percent,
  print,
  TURNS,
  write,
} from "./kit.ts";

export interface Case {
  readonly title: string;
  /** Bytes per second of each target; without, there is neither an ideal nor a prediction. */
  readonly rates: readonly number[] | undefined;
  /** How the writer is told to keep to them. */
  readonly words: readonly string[];
  readonly blocks: number;
  readonly blockBytes: number;
  readonly writers: number;
  /** Times to the commit, where a cache could take the writes. */
  readonly durable?: boolean;
  readonly turns?: number;
}

const TARGETS = 4;
const WRITERS = 16;
const BASE = 24 * MIB;
/** Bytes of each process of the workload `ior`. */
const IOR_BYTES = 128 * MIB;

/** `slow` of the base speed on the first target. */
const held = (title: string, slow: number, blocks: number, blockBytes: number): Case => ({
  title,
  rates: Array.from({ length: TARGETS }, (_, i) => (i === 0 ? slow * BASE : BASE)),
  words: ["--base-speed", String(BASE), ...(slow < 1 ? ["--target-speed", `0:${slow}`] : [])],
  blocks,
  blockBytes,
  writers: WRITERS,
});

export async function slowTarget(bench: Bench): Promise<void> {
  print(
    `One of 4 targets 8 times slower, held inside the back end; 16 writer processes; ${bench.memoryName}`,
  );
  const targets = freshTargets(bench.memory, TARGETS);
  await compare(bench, targets, held("4 blocks of 4 MiB a writer", 0.125, 64, 4 * MIB));
  // A whole block lies on the slow target, whatever a policy of whole blocks does.
  const one = held("1 block of 4 MiB a writer", 0.125, 16, 4 * MIB);
  await compare(bench, targets, { ...one, turns: Math.min(3, TURNS) });
}

export async function noSlowTarget(bench: Bench): Promise<void> {
  print(`No slow target: all four held to the same speed; 16 writer processes; ${bench.memoryName}`);
  const targets = freshTargets(bench.memory, TARGETS);
  await compare(bench, targets, held("4 blocks of 4 MiB a writer", 1, 64, 4 * MIB));
}

/** All methods, turn by turn. */
export async function compare(bench: Bench, targets: readonly string[], one: Case): Promise<void> {
  const { rates, blocks, blockBytes, writers, durable = false } = one;
  const workload = ["--workload", "ior", "-n", String(blocks), "--scale", String(blockBytes / IOR_BYTES)];
  const words = [...workload, "--writers", String(writers), ...one.words];
  const runs = await interleaved(
    METHODS,
    async (method) => {
      const { seconds, commitSeconds } = await write(bench, targets, [...methodWords(method), ...words]);
      return durable ? commitSeconds : seconds;
    },
    one.turns,
  );
  const total = blocks * blockBytes;
  const ideal = rates === undefined ? undefined : total / rates.reduce((sum, rate) => sum + rate, 0);
  const told = ideal === undefined ? "" : `, ideal from the rates ${ideal.toFixed(2)} s`;
  print(`  ${one.title}: ${total / MIB} MiB${told}; median (least–most)`);
  const base = median(runs.static);
  for (const method of METHODS) {
    const found = median(runs[method]);
    const parts = [`${method.padEnd(9)} ${cell(runs[method])} s`];
    if (method !== "static")
      parts.push(`${(base / found).toFixed(2)} times as fast as static (${percent(found / base - 1)})`);
    if (method !== "static" && ideal !== undefined && new Set(rates).size > 1)
      parts.push(`${percent(ideal / found)} of the ideal speed-up`);
    if (rates !== undefined) {
      const simulated = predicted(rates, one, method);
      parts.push(`simulator says ${simulated.toFixed(2)} s (${percent(simulated / found - 1)})`);
    }
    print(`    ${parts.join("; ")}`);
  }
}

/** Write time of the same blocks on targets of the same rates, under the same policy. */
function predicted(rates: readonly number[], { blocks, blockBytes }: Case, policy: Method): number {
  const fastest = Math.max(...rates);
  const rate = fastest / MIB;
  const world = makeWorld({
    parameters: withDefaults({
      diskRate: rate,
      ingestRate: rate,
      clientRate: rate,
      dirtyLimit: 0,
      opOverhead: 0,
    }),
    machineTargets: rates.length,
    targets: rates.length,
    run: { seed: 1, sample: 0, samples: 1 },
  });
  for (const [target, one] of rates.entries()) world.storage.setSpeed(target, one / fastest);
  const setup = { sharedSources: true, writers: blocks, targets: rates.length, bytes: blockBytes, seed: 1 };
  return runAdaptive({ ...setup, world, policy }).seconds;
}
