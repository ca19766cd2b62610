/** `npm run bench bps`: the whole command on traces of the recorder, beside the same work in C. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type Order, writeTrace } from "./inputs.ts";

/** Folder of the project; given by scripts/bench.mjs. */
const [root = "."] = process.argv.slice(2);
const MILLION = 1_000_000;
const SIZES = (process.env.PLIMSOLL_BENCH_ACCESSES ?? "10000000").split(",").map(Number);
const ORDERS: readonly Order[] = ["in order", "threads", "shuffled"];
const turnsFor = (count: number) =>
  Number(process.env.PLIMSOLL_BENCH_TURNS ?? (count > 20 * MILLION ? 3 : 5));

interface Variant {
  readonly label: string;
  readonly words: (path: string) => readonly string[];
  readonly answer: (out: string) => string;
}

interface Measured {
  readonly wall: number;
  readonly cpu: number;
  readonly kib: number;
}

function variants(peer: string): Variant[] {
  const plimsoll = process.env.PLIMSOLL_BENCH_PROGRAM?.split(" ") ?? [
    process.execPath,
    join(root, "dist", "start.cjs"),
  ];
  return [
    {
      label: "plimsoll bps --json",
      words: (path) => [...plimsoll, "bps", path, "--json"],
      answer: oursAnswer,
    },
    {
      label: "plimsoll bps --json --threads 1",
      words: (path) => [...plimsoll, "bps", path, "--json", "--threads", "1"],
      answer: oursAnswer,
    },
    { label: "C, the same work", words: (path) => [peer, "bps", path], answer: (out) => out.trim() },
    { label: "C, T and sums only", words: (path) => [peer, "least", path], answer: () => "" },
    { label: "C, with picture and groups", words: (path) => [peer, "full", path], answer: () => "" },
    {
      label: "plimsoll bps (with picture and groups)",
      words: (path) => [...plimsoll, "bps", path],
      answer: () => "",
    },
  ];
}

/** In the form of peer.c. */
function oursAnswer(out: string): string {
  const one = JSON.parse(out);
  const ns = (seconds: number) => Math.round(seconds * 1e9);
  const durations = Math.round(one.arptSeconds * 1e9 * one.accesses);
  const { max, levels } = one.concurrency as { max: number; levels: { level: number; seconds: number }[] };
  const again = one.notes.find(({ id }: { id: string }) => id === "duplicates")?.count ?? 0;
  const sums = [one.accesses, one.bytes, one.ioTimeNs, durations, max, one.dropped.total];
  const head = [...sums, one.movedBytes, again, one.files].join(" ");
  return [head, ...levels.map(({ level, seconds }) => `${level} ${ns(seconds)}`)].join("\n");
}

function run(peer: string, variant: Variant, path: string): Measured & { answer: string } {
  const child = spawnSync(peer, ["run", ...variant.words(path)], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  if (child.status !== 0) throw new Error(`${variant.label} failed: ${child.error?.message ?? child.stderr}`);
  const [wall = 0, cpu = 0, kib = 0] = (child.output[3] ?? "").trim().split(" ").map(Number);
  return { wall, cpu, kib, answer: variant.answer(child.stdout) };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] as number;
}

const work = mkdtempSync(join(process.env.PLIMSOLL_BENCH_FOLDER ?? tmpdir(), "plimsoll-bench-"));
try {
  const peer = join(work, "peer");
  const built = spawnSync("cc", ["-O3", "-march=native", "-o", peer, join(root, "bench", "bps", "peer.c")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (built.status !== 0) throw new Error("no cc that builds bench/bps/peer.c");
  const list = variants(peer);
  console.log(
    `machine: ${cpus()[0]?.model}, ${cpus().length} cores; Node ${process.version}; whole programs, input in the page cache, medians; C has one thread, plimsoll bps has ${availableParallelism()} by default`,
  );
  for (const count of SIZES) {
    for (const order of ORDERS) {
      const path = join(work, "trace.plt");
      writeTrace(path, count, order);
      const results = new Map(list.map((variant) => [variant, [] as Measured[]]));
      const answers = new Map<Variant, string>();
      // Variants take turns, so that a slow minute of the machine hits them alike.
      for (let turn = 0; turn < turnsFor(count); turn++)
        for (const variant of list) {
          const { answer, ...measured } = run(peer, variant, path);
          results.get(variant)?.push(measured);
          answers.set(variant, answer);
        }
      console.log(`\n${count / MILLION} M accesses, ${order} (${((count * 32) / 1e9).toFixed(2)} GB)`);
      const [ours, one, c] = list as [Variant, Variant, Variant];
      const middle = (variant: Variant, of: (measured: Measured) => number) =>
        median((results.get(variant) ?? []).map(of));
      for (const [variant, measured] of results) {
        const gib = Math.max(...measured.map(({ kib }) => kib)) / 2 ** 20;
        const [wall, cpu] = [middle(variant, (m) => m.wall), middle(variant, (m) => m.cpu)];
        const ratio = (ours: number, of: (measured: Measured) => number) =>
          (ours / middle(c, of)).toFixed(2).padStart(5);
        console.log(
          `${variant.label.padEnd(40)} ${wall.toFixed(2).padStart(7)} s wall ${cpu.toFixed(2).padStart(7)} s cpu ${gib.toFixed(2).padStart(6)} GiB  times C: wall ${ratio(wall, (m) => m.wall)} cpu ${ratio(cpu, (m) => m.cpu)}`,
        );
      }
      const [twin, whole] = [list[4], list[5]] as [Variant, Variant];
      const times = (of: (measured: Measured) => number) => (middle(whole, of) / middle(twin, of)).toFixed(2);
      console.log(
        `with picture and groups, times C that does the same: wall ${times((m) => m.wall)} cpu ${times((m) => m.cpu)}`,
      );
      for (const variant of [ours, one])
        console.log(
          answers.get(variant) === answers.get(c)
            ? `same answers: ${variant.label}`
            : `ANSWERS DIFFER: ${variant.label}\n${answers.get(variant)}\n${answers.get(c)}`,
        );
      rmSync(path);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
