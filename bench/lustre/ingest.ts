/** Readings of many targets, a minute apart, into a store by the whole command. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jobStatsText, sparseText } from "./inputs.ts";

/** A day is 1440 minutes, of 100 targets in the largest case. */
const TARGETS = Number(process.env.PLIMSOLL_BENCH_TARGETS ?? 20);
const JOBS = Number(process.env.PLIMSOLL_BENCH_TARGET_JOBS ?? 1000);
const MINUTES = Number(process.env.PLIMSOLL_BENCH_MINUTES ?? 10);
const SERVERS = Number(process.env.PLIMSOLL_BENCH_SERVERS ?? 4);

interface Kind {
  readonly label: string;
  readonly linesPerJob: number;
  text(step: number): string;
}

const KINDS: readonly Kind[] = [
  { label: "12 counters a job (2.12)", linesPerJob: 12, text: (step) => jobStatsText("2.12", JOBS, step) },
  { label: "1 counter a job", linesPerJob: 1, text: (step) => sparseText(JOBS, step) },
];

export function benchIngest(root: string, folder: string): void {
  console.log(
    `ingest of ${TARGETS} targets x ${JOBS} jobs x ${MINUTES} minutes in files of ${SERVERS} servers`,
  );
  for (const kind of KINDS) {
    const samples = join(folder, "samples");
    const bytes = writeSamples(samples, kind);
    const lines = TARGETS * JOBS * MINUTES * kind.linesPerJob;
    const { seconds, cpu, peakMb } = run(root, samples, join(folder, "store"), folder);
    const again = run(root, samples, join(folder, "store"), folder);
    console.log(
      `  ${kind.label.padEnd(26)} ${(bytes / 1e6).toFixed(0)} MB, ${lines} lines: ${seconds.toFixed(1)} s (${cpu.toFixed(1)} s of CPU), ` +
        `${(lines / seconds / 1e6).toFixed(2)} M lines/s, ${((TARGETS * JOBS * (MINUTES - 1)) / seconds / 1e6).toFixed(2)} M rows/s, peak ${peakMb.toFixed(0)} MB; ` +
        `again ${again.seconds.toFixed(1)} s (${again.cpu.toFixed(1)} s of CPU)`,
    );
    for (const name of ["samples", "store"]) rmSync(join(folder, name), { recursive: true });
  }
}

function writeSamples(folder: string, { text }: Kind): number {
  let bytes = 0;
  for (let step = 0; step < MINUTES; step++) {
    const jobs = text(step);
    for (let server = 0; server < SERVERS; server++) {
      const place = join(folder, `oss${server}`);
      mkdirSync(place, { recursive: true });
      let dump = "";
      for (let target = server; target < TARGETS; target += SERVERS)
        dump += `obdfilter.bench-OST${target.toString(16).padStart(4, "0")}.job_stats=\n${jobs}`;
      const path = join(place, `${1_687_275_240 + 60 * step}.txt`);
      writeFileSync(path, dump);
      bytes += statSync(path).size;
    }
  }
  return bytes;
}

function run(root: string, samples: string, store: string, folder: string) {
  const notes = join(folder, "time");
  const command = [process.execPath, join(root, "bin", "plimsoll"), "ingest", samples, "--store", store];
  const child = spawnSync("/usr/bin/time", ["-o", notes, "-f", "%e %U %S %M", ...command], {
    encoding: "utf8",
  });
  if (child.status !== 0) throw new Error(`ingest failed: ${child.stderr}`);
  const [seconds = 0, user = 0, system = 0, kib = 0] = readFileSync(notes, "utf8")
    .trim()
    .split(" ")
    .map(Number);
  return { seconds, cpu: user + system, peakMb: kib / 1024 };
}
