/** `npm run bench sim`: events per second of the queue, the storage model and the protocol, and how the cost grows. */
import { spawnSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { Random } from "../../src/base/prng.ts";
import { EventQueue } from "../../src/adaptive/sim/events.ts";
import { METHODS, specOf } from "./methods.ts";

const [, bundles = "."] = process.argv.slice(2);
const TURNS = 3;
/** Processes of their own differ more. */
const FIRST_TURNS = 7;
const NAMES = Object.keys(METHODS);
const PROTOCOL = ["paper", "plimsoll"];
const SIZES = [2, 128, 1024];
const print = (line: string) => process.stdout.write(`${line}\n`);
const seconds = (value: number): string => `${value.toFixed(3)} s`.padStart(10);

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

const queue = new EventQueue();

const setting = (name: string, writers: number, targets: number, sizeMb: number): string[] => [
  name.padEnd(20),
  String(writers).padStart(9),
  String(targets).padStart(8),
  `${sizeMb} MB`.padStart(8),
];

function row(name: string, writers: number, targets: number, sizeMb: number, turns = TURNS): void {
  const run = METHODS[name] as (typeof METHODS)[string];
  const spec = specOf(writers, targets, sizeMb);
  const { cpu, worst, count } = measured(() => run(spec, queue).events, turns);
  const cells = [
    ...setting(name, writers, targets, sizeMb),
    String(count).padStart(10),
    seconds(cpu),
    seconds(worst),
    `${(count / cpu / 1e6).toFixed(2)} M/s`.padStart(10),
    `${((1e6 * cpu) / writers).toFixed(2)} µs`.padStart(10),
  ];
  print(cells.join(" "));
}

interface Once {
  readonly seconds: number;
  readonly cpu: number;
  readonly mib: number;
}

/** The first run of a process, some times; the middle one counts. */
function firstRow(name: string, writers: number, targets: number, sizeMb: number): void {
  const words = [join(bundles, "once.mjs"), name, writers, targets, sizeMb].map(String);
  const turns = Array.from(
    { length: FIRST_TURNS },
    () => JSON.parse(spawnSync(process.execPath, words, { encoding: "utf8" }).stdout) as Once,
  );
  const middle = (of: (one: Once) => number) => turns.map(of).sort((a, b) => a - b)[FIRST_TURNS >> 1]!;
  const cells = [
    ...setting(name, writers, targets, sizeMb),
    seconds(middle((one) => one.seconds)),
    seconds(Math.min(...turns.map((one) => one.seconds))),
    seconds(middle((one) => one.cpu)),
    `${middle((one) => one.mib).toFixed(0)} MiB`.padStart(10),
  ];
  print(cells.join(" "));
}

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
print(`the first run of a process, as a command has it: middle and best of ${FIRST_TURNS}, by the clock`);
print("method                 writers  targets     size      clock       best        CPU     memory");
for (const name of PROTOCOL) for (const size of SIZES) firstRow(name, 16384, 512, size);
for (const name of PROTOCOL) firstRow(name, 224160, 672, 128);
print("");
print("later runs of a process");
print(
  "method                 writers  targets     size     events        CPU      worst     events  per writer",
);
for (const name of NAMES) for (const size of SIZES) row(name, 16384, 512, size);
print("");
print("growth with writers");
for (const name of NAMES) for (const writers of [4096, 16384, 65536, 224160]) row(name, writers, 672, 128);
print("");
print("growth with targets");
for (const name of NAMES) for (const targets of [64, 256, 1024, 4096]) row(name, 65536, targets, 128);
print("");
print("a million writers, once");
for (const name of NAMES) row(name, 1_000_000, 672, 128, 1);
