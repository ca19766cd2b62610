/**
 * `npm run bench collect`: what `collect server` costs a server of 20 targets with 1,000 jobs each, all of which did something
 * between two samples. Samples are taken every few seconds here, and their processor time is set against 60 s.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Entry,
  jobStatsText,
  MD_STATS_ORDER,
  OST_STATS_ORDER,
  statsText,
} from "../../src/generate/sitewide/entry.ts";

const [root = "."] = process.argv.slice(2);
const [TARGETS, JOBS, CLIENTS] = [20, 1000, 500];
const SAMPLES = Number(process.env.PLIMSOLL_BENCH_SAMPLES ?? 12);
const EVERY_SECONDS = 5;
/** What one sample a minute is to stay below. */
const GOAL = { share: 0.01, peakMb: 80 };
const SECOND = 1_000_000_000n;
/** Clock ticks of /proc/PID/stat. */
const TICKS = 100;

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
const put = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

const nameOf = (target: number) => (target < 18 ? `fs-OST${hex(target)}` : `fs-MDT${hex(target - 18)}`);
const hex = (index: number) => index.toString(16).padStart(4, "0");
const entries = Array.from({ length: TARGETS }, () =>
  Array.from({ length: JOBS }, () => new Entry(BigInt(Date.now()) * 1_000_000n)),
);

/** Every job does something on every target; a tenth of the jobs are new each time. */
function turn(number: number): void {
  const nowNs = BigInt(Date.now()) * 1_000_000n;
  for (let target = 0; target < TARGETS; target++) {
    const role = target < 18 ? "OST" : "MDT";
    const device = role === "OST" ? "obdfilter" : "mdt";
    const folder = join(work, "tree/proc/fs/lustre", device, nameOf(target));
    const all = new Entry(nowNs - 3600n * SECOND);
    const jobs = entries[target] as Entry[];
    let text = "job_stats:\n";
    for (const [job, entry] of jobs.entries()) {
      entry.lastNs = nowNs;
      entry.read.add(1 + (job % 7), 65_536 * (1 + (job % 7)));
      entry.write.add(3, 3_145_728);
      for (const call of ["open", "close", "getattr", "setattr", "statfs"]) entry.call(call, 1 + (job % 3));
      const id = job % 10 === number % 10 ? 9_000_000 + 1000 * number + job : 8_000_000 + job;
      text += jobStatsText(String(id), entry, role, "2.15");
      all.write.add(3 * (number + 1), 3_145_728 * (number + 1));
    }
    put(join(folder, "job_stats"), text);
    const order = role === "OST" ? OST_STATS_ORDER : MD_STATS_ORDER;
    put(join(folder, role === "OST" ? "stats" : "md_stats"), statsText(all, nowNs, "2.15", order));
    const disk = join(work, "tree/sys/fs/lustre/osd-ldiskfs", nameOf(target));
    for (const [i, file] of ["kbytestotal", "kbytesfree", "kbytesavail", "filestotal", "filesfree"].entries())
      put(join(disk, file), `${1_000_000_000 - 1000 * i - number}\n`);
    put(join(work, "tree/sys/fs/lustre", device, nameOf(target), "eviction_count"), "0\n");
    put(join(folder, "num_exports"), `${CLIENTS}\n`);
    put(join(folder, "recovery_status"), `status: COMPLETE\ncompleted_clients: ${CLIENTS}/${CLIENTS}\n`);
    if (number === 0)
      for (let client = 0; client < CLIENTS; client++)
        put(
          join(folder, "exports", `10.0.${client >> 8}.${client & 255}@o2ib`, "stats"),
          statsText(all, nowNs, "2.15", order),
        );
  }
  put(join(work, "tree/sys/fs/lustre/health_check"), "healthy\n");
  put(
    join(work, "tree/proc/fs/lustre/ost/OSS/ost_io/stats"),
    `req_waittime ${1000 * number} samples [usecs] 1 9 ${4000 * number} 1\n`,
  );
}

function usage(pid: number) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS,
    peakMb: kib("VmHWM") / 1024,
    nowMb: kib("VmRSS") / 1024,
  };
}

const segments = () => readdirSync(join(work, "out/segments")).length;

async function measure(): Promise<void> {
  turn(0);
  const args = [
    "collect",
    "server",
    "--root",
    join(work, "tree"),
    "--dir",
    join(work, "out"),
    "--every",
    `${EVERY_SECONDS}s`,
  ];
  const child = spawn(
    process.execPath,
    [join(root, "dist/start.cjs"), ...args, "--host", "bench", "--metrics", "0"],
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const pid = child.pid as number;
  while (
    !readdirSync(work).includes("out") ||
    !readdirSync(join(work, "out")).includes("segments") ||
    segments() < 2
  )
    await sleep(200);
  const costs: number[] = [];
  for (let number = 1; number <= SAMPLES; number++) {
    turn(number);
    const [before, count] = [usage(pid).cpuSeconds, segments()];
    while (segments() === count) await sleep(100);
    await sleep(500);
    costs.push(usage(pid).cpuSeconds - before);
  }
  const { peakMb, nowMb } = usage(pid);
  child.kill("SIGTERM");
  await ended;
  costs.sort((a, b) => a - b);
  const median = costs[costs.length >> 1] as number;
  const bytes = readFileSync(
    join(work, "out/segments", readdirSync(join(work, "out/segments")).at(-2) as string),
  ).length;
  console.log(`${cpus()[0]?.model ?? "?"}, Node ${process.version}, load ${(loadavg()[0] ?? 0).toFixed(1)}`);
  console.log(
    `${TARGETS} targets, ${JOBS} jobs on each, ${CLIENTS} clients of each; ${SAMPLES} samples, a segment has ${(bytes / 1e6).toFixed(1)} MB`,
  );
  console.log(
    `processor of a sample: ${median.toFixed(2)} s (${costs[0]?.toFixed(2)} to ${costs.at(-1)?.toFixed(2)}); every 60 s: ${((100 * median) / 60).toFixed(2)} % of a core (goal ${100 * GOAL.share} %)`,
  );
  console.log(`memory: ${nowMb.toFixed(0)} MB, at most ${peakMb.toFixed(0)} MB (goal ${GOAL.peakMb} MB)`);
}

try {
  await measure();
} finally {
  rmSync(work, { recursive: true, force: true });
}
