/** `npm run bench sim`: events per second of the queue, the storage model and the protocol, and how the cost grows. */
import { cpus, loadavg } from "node:os";
import { Random } from "../../src/base/prng.ts";
import { runTwin } from "../../src/sim/calibrate/index.ts";
import { EventQueue } from "../../src/sim/events.ts";
import { runPaper } from "../../src/sim/experiments/adaptive.ts";
import type { RunResult, RunSpec } from "../../src/sim/experiments/run.ts";
import { runStatic } from "../../src/sim/experiments/static.ts";
import { type Machine, machineNamed } from "../../src/sim/machines/index.ts";
import { MB } from "../../src/sim/storage/index.ts";

const TURNS = 3;
const print = (line: string) => process.stdout.write(`${line}\n`);

/** CPU seconds of this process: the machine may be busy with others. */
function cpuOf(work: () => number): { cpu: number; count: number } {
  const before = process.cpuUsage();
  const count = work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e6, count };
}

/** The best of a few turns, and their spread. */
function measured(work: () => number, count = TURNS): { cpu: number; worst: number; count: number } {
  const turns = Array.from({ length: count }, () => cpuOf(work)).sort((a, b) => a.cpu - b.cpu);
  const first = turns[0] as { cpu: number; count: number };
  return { ...first, worst: turns.at(-1)!.cpu };
}

/** Hold: take one, put one, at a steady size. */
function hold(size: number): number {
  const queue = new EventQueue();
  const random = new Random(1);
  for (let i = 0; i < size; i++) queue.push(random.unit(), 1, i, 0);
  const count = 1_000_000;
  for (let i = 0; i < count; i++) {
    queue.next();
    queue.push(queue.now + random.unit(), 1, queue.a, 0);
  }
  return count;
}

type Run = (spec: RunSpec, queue?: EventQueue) => RunResult;

const METHODS: readonly { name: string; run: Run; sharedFile?: boolean }[] = [
  { name: "posix", run: runStatic },
  { name: "paper, no messages", run: runTwin },
  { name: "paper", run: runPaper },
];

const queue = new EventQueue();

function row(
  name: string,
  run: Run,
  machine: Machine,
  writers: number,
  targets: number,
  sizeMb: number,
  turns = TURNS,
): void {
  const spec = { machine, writers, targets, bytes: sizeMb * MB, run: { seed: 1, sample: 0, samples: 1 } };
  const { cpu, worst, count } = measured(() => run(spec, queue).events, turns);
  const cells = [
    name.padEnd(20),
    String(writers).padStart(9),
    String(targets).padStart(8),
    `${sizeMb} MB`.padStart(8),
    String(count).padStart(10),
    `${cpu.toFixed(3)} s`.padStart(10),
    `${worst.toFixed(3)} s`.padStart(10),
    `${(count / cpu / 1e6).toFixed(2)} M/s`.padStart(10),
    `${((1e6 * cpu) / writers).toFixed(2)} µs`.padStart(10),
  ];
  print(cells.join(" "));
}

const jaguar = machineNamed("jaguar");
/** As large as asked for; background per target as on Jaguar. */
const larger = (targets: number): Machine =>
  targets <= jaguar.targets ? jaguar : { ...jaguar, targets, targetsPerFile: targets };

print(
  `${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}, node ${process.version}; CPU time, best of ${TURNS}`,
);
print("");
print("queue alone (take one, put one)");
for (const size of [512, 16384, 1_000_000]) {
  const { cpu, count } = measured(() => hold(size));
  print(`${String(size).padStart(9)} waiting ${(count / cpu / 1e6).toFixed(2).padStart(8)} M events/s`);
}
print("");
print(
  "method                 writers  targets     size     events        CPU      worst     events  per writer",
);
for (const { name, run } of METHODS)
  for (const size of [2, 128, 1024]) row(name, run, jaguar, 16384, 512, size);
print("");
print("growth with writers");
for (const { name, run } of METHODS)
  for (const writers of [4096, 16384, 65536, 224160]) row(name, run, jaguar, writers, 672, 128);
print("");
print("growth with targets");
for (const { name, run } of METHODS)
  for (const targets of [64, 256, 1024, 4096]) row(name, run, larger(targets), 65536, targets, 128);
print("");
print("a million writers, once");
for (const { name, run } of METHODS) row(name, run, jaguar, 1_000_000, 672, 128, 1);
