/** The disk as it is: against dd, and a large write with its memory. */
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Bench,
  cell,
  cpuOfEnded,
  freshTargets,
  interleaved,
  median,
  memoryOfTree,
  MIB,
  percent,
  print,
  run,
  write,
} from "./kit.ts";

const DD_BYTES = Number(process.env.PLIMSOLL_BENCH_DD_BYTES ?? 2 ** 30);
const LARGE_BYTES = Number(process.env.PLIMSOLL_BENCH_LARGE_BYTES ?? 1e10);
const LARGE_WRITERS = 8;
const LARGE_TARGETS = 4;

/** Files without blocks on the disk: they are read like any other, and the disk only writes. */
function makeSources(folder: string, count: number, bytes: number): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < count; i++) {
    const path = join(folder, `rank${i}`);
    writeFileSync(path, "");
    truncateSync(path, Math.floor(bytes / count));
  }
  return folder;
}

const PAIRS = ["dd", "2 writers", "1 writer"] as const;

export async function againstDd(bench: Bench): Promise<void> {
  const [target = ""] = freshTargets(bench.work, 1);
  const sources = makeSources(join(bench.work, "sources"), 8, DD_BYTES);
  const source = makeSources(join(bench.work, "source"), 1, DD_BYTES);
  print(
    `One target: ${Math.round(DD_BYTES / MIB)} MiB onto the disk, beside dd bs=4M conv=fsync of the same bytes`,
  );
  const seconds = await interleaved(PAIRS, async (name) => {
    freshTargets(bench.work, 1);
    if (name === "dd") return dd(join(source, "rank0"), join(target, "dd.bin"));
    const writers = name.split(" ")[0] as string;
    const { commitSeconds } = await write(bench, [target], ["--writers", writers, sources]);
    return commitSeconds;
  });
  const base = median(seconds.dd);
  for (const name of PAIRS) {
    // Of the same turn: the disk changes its speed from one minute to the next.
    const ratios = seconds[name].map((one, turn) => (seconds.dd[turn] as number) / one);
    const rate = `${(DD_BYTES / MIB / median(seconds[name])).toFixed(0)} MiB/s`;
    const ratio =
      name === "dd" ? "" : `, ${percent(base / median(seconds[name]))} of dd (turn by turn ${cell(ratios)})`;
    print(`  ${name.padEnd(10)} ${cell(seconds[name])} s until durable, ${rate}${ratio}`);
  }
}

/** Seconds as dd itself counts them: without its start. */
async function dd(from: string, to: string): Promise<number> {
  const { status, err } = await run("dd", [`if=${from}`, `of=${to}`, "bs=4M", "conv=fsync"]);
  const found = / copied, ([\d.]+) s/.exec(err);
  if (status !== 0 || found === null) throw new Error(`dd ended with ${status}: ${err}`);
  return Number(found[1]);
}

export async function large(bench: Bench): Promise<void> {
  const targets = freshTargets(bench.work, LARGE_TARGETS);
  const sources = makeSources(join(bench.work, "sources"), LARGE_WRITERS, LARGE_BYTES);
  const began = performance.now();
  const cpuBefore = cpuOfEnded();
  let peak = 0;
  const words = ["--writers", String(LARGE_WRITERS), "--array", "v:float64:*", sources];
  const { bytes, commitSeconds } = await write(bench, targets, words, (pid) => {
    peak = Math.max(peak, memoryOfTree(pid));
  });
  const cpuSeconds = cpuOfEnded() - cpuBefore;
  const wall = (performance.now() - began) / 1000;
  print(
    `${(bytes / 1e9).toFixed(1)} GB of doubles through ${LARGE_WRITERS} writers onto ${LARGE_TARGETS} folders of the disk, once`,
  );
  print(
    `  ${wall.toFixed(1)} s, ${(bytes / MIB / commitSeconds).toFixed(0)} MiB/s until durable; CPU ${cpuSeconds.toFixed(1)} s (${((1e9 * cpuSeconds) / bytes).toFixed(2)} s per GB); memory at most ${(peak / MIB).toFixed(0)} MiB (PSS of all processes, every 100 ms)`,
  );
}
