/** Counters as a server or a client keeps them, and the lines that Lustre 2.12 and 2.15 print of them. */
import { MDT_CALLS } from "../../model/index.ts";

export const RELEASES = ["2.12", "2.15"] as const;
export type Release = (typeof RELEASES)[number];

/** A counter of bytes: each call has the mean size of those that came together. */
class SizeCounter {
  samples = 0;
  min = 0;
  max = 0;
  sum = 0n;
  sumsq = 0n;

  add(calls: number, bytes: number): void {
    if (calls === 0) return;
    const least = Math.floor(bytes / calls);
    const most = Math.ceil(bytes / calls);
    if (this.samples === 0 || least < this.min) this.min = least;
    if (most > this.max) this.max = most;
    this.samples += calls;
    this.sum += BigInt(bytes);
    this.sumsq = BigInt.asUintN(64, this.sumsq + BigInt(least) * BigInt(bytes));
  }
}

/** Microseconds of a call, for releases that print times. */
const LATENCY = { min: 12, max: 4800, mean: 150, square: 60_000 };

const OST_OTHERS = "getattr setattr punch sync destroy create statfs get_info set_info quotactl".split(" ");
const MDT_NAMES = [...MDT_CALLS, "samedir_rename", "crossdir_rename"];

/** What one job, or everybody, did on one target. */
export class Entry {
  readonly startNs: bigint;
  lastNs: bigint;
  readonly read = new SizeCounter();
  readonly write = new SizeCounter();
  readonly calls = new Map<string, number>();

  constructor(nowNs: bigint) {
    this.startNs = this.lastNs = nowNs;
  }

  call(name: string, count: number): void {
    if (count > 0) this.calls.set(name, (this.calls.get(name) ?? 0) + count);
  }
}

const right = (value: number | bigint, width: number) => String(value).padStart(width);
/** Up to 2.14 no blank stands before a number, so a wide one follows the colon at once. */
const field = (name: string, value: number | bigint, width: number, release: Release) =>
  release === "2.12" ? `${name}:${right(value, width)}` : `${name}: ${right(value, width)}`;

function sizeLine(name: string, counter: SizeCounter, release: Release): string {
  const { samples, min, max, sum, sumsq } = counter;
  const common = `${`  ${name}:`.padEnd(19)}{ samples: ${right(samples, 11)}, unit: bytes, ${field("min", min, 8, release)}, ${field("max", max, 8, release)}, ${field("sum", sum, 16, release)}`;
  return release === "2.12" ? `${common} }\n` : `${common}, sumsq: ${right(sumsq, 18)} }\n`;
}

function callLine(name: string, samples: number, release: Release): string {
  const head = `${`  ${name}:`.padEnd(19)}{ samples: ${right(samples, 11)}, unit:`;
  if (release === "2.12") return `${head}  reqs }\n`;
  const has = samples > 0 ? 1 : 0;
  const { min, max, mean, square } = LATENCY;
  return `${head} usecs, min: ${right(has * min, 8)}, max: ${right(has * max, 8)}, sum: ${right(samples * mean, 16)}, sumsq: ${right(samples * square, 18)} }\n`;
}

function stamp(ns: bigint): string {
  return `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, "0")} secs.nsecs`;
}

/** One job of `job_stats`. */
export function jobStatsText(jobId: string, entry: Entry, role: "OST" | "MDT", release: Release): string {
  const { read, write, calls, startNs, lastNs } = entry;
  let text = `- job_id:          ${jobId}\n`;
  if (release === "2.12") text += `  snapshot_time:   ${lastNs / 1_000_000_000n}\n`;
  else
    text += `  snapshot_time:   ${stamp(lastNs)}\n  start_time:      ${stamp(startNs)}\n  elapsed_time:    ${stamp(lastNs - startNs)}\n`;
  const bytes = sizeLine("read_bytes", read, release) + sizeLine("write_bytes", write, release);
  const times =
    release === "2.12"
      ? ""
      : callLine("read", read.samples, release) + callLine("write", write.samples, release);
  const others = (names: readonly string[]) =>
    names.map((name) => callLine(name, calls.get(name) ?? 0, release)).join("");
  if (role === "OST") return text + bytes + times + others(OST_OTHERS);
  return text + others(MDT_NAMES) + bytes + times + callLine("punch", calls.get("punch") ?? 0, release);
}

/** A `stats` file; counters without samples are not printed. */
export function statsText(
  entry: Entry,
  nowNs: bigint,
  release: Release,
  order: readonly string[],
  oldUnit: "reqs" | "regs" = "reqs",
): string {
  let text = `${"snapshot_time".padEnd(26)}${stamp(nowNs)}\n`;
  if (release !== "2.12")
    text += `${"start_time".padEnd(26)}${stamp(entry.startNs)}\n${"elapsed_time".padEnd(26)}${stamp(nowNs - entry.startNs)}\n`;
  const size = (name: string, { samples, min, max, sum, sumsq }: SizeCounter) => {
    if (samples === 0) return "";
    const squares = release === "2.12" ? "" : ` ${sumsq}`;
    const line = `${name.padEnd(26)}${samples} samples [bytes] ${min} ${max} ${sum}${squares}\n`;
    return release === "2.12" ? line : line + timed(name.replace("_bytes", ""), samples);
  };
  const timed = (name: string, samples: number) =>
    `${name.padEnd(26)}${samples} samples [usecs] ${LATENCY.min} ${LATENCY.max} ${samples * LATENCY.mean} ${samples * LATENCY.square}\n`;
  text += size("read_bytes", entry.read) + size("write_bytes", entry.write);
  for (const name of order) {
    const samples = entry.calls.get(name) ?? 0;
    if (samples === 0) continue;
    text += release === "2.12" ? `${name.padEnd(26)}${samples} samples [${oldUnit}]\n` : timed(name, samples);
  }
  return text;
}

export const OST_STATS_ORDER = ["punch", "create", "statfs", "connect", "preprw", "commitrw", "ping"];
export const MD_STATS_ORDER = MDT_NAMES;
export const LLITE_ORDER = (
  "open close mmap seek fsync readdir setattr truncate flock getattr create link unlink symlink mkdir rmdir mknod " +
  "rename statfs setxattr getxattr listxattr removexattr inode_permission"
).split(" ");

/** Buckets of pages per bulk call: calls of 1 MB are 256 pages. */
export function brwStatsText(entry: Entry, nowNs: bigint, release: Release): string {
  const head =
    release === "2.12"
      ? `snapshot_time:         ${nowNs / 1_000_000_000n}.${String((nowNs % 1_000_000_000n) / 1000n)} (secs.usecs)\n`
      : `snapshot_time:            ${stamp(nowNs)}\nstart_time:               ${stamp(entry.startNs)}\nelapsed_time:             ${stamp(nowNs - entry.startNs)}\n`;
  const { samples: reads } = entry.read;
  const { samples: writes } = entry.write;
  const row = (bucket: string) =>
    reads + writes === 0
      ? ""
      : `${bucket}:\t\t${right(reads, 10)} 100 100   | ${right(writes, 10)} 100 100\n`;
  const section = (name: string, counted: string, bucket: string) =>
    `\n                           read      |     write\n${name.padEnd(22)} ${counted.padStart(5)}  % cum % |  ${counted.padStart(5)}        % cum %\n${row(bucket)}`;
  return (
    head +
    section("pages per bulk r/w", "rpcs", "256") +
    section("discontiguous pages", "rpcs", "0") +
    section("disk I/O size", "ios", "1M")
  );
}
