/** Random jobs and minutes of a small site, with everything odd that a real one has. */
import { createHash } from "node:crypto";
import { Random } from "../../src/base/prng.ts";

export interface JobRow {
  readonly job_key: bigint;
  readonly job_id: string;
  readonly source: string;
  readonly cluster: string | null;
  readonly user_id: number | null;
  readonly user_name: string | null;
  readonly name: string | null;
  readonly nodes: number | null;
  readonly node_memory_bytes: number | null;
  readonly start_unix_ns: bigint | null;
  readonly end_unix_ns: bigint | null;
  readonly bytes_read: number | null;
  readonly bytes_written: number | null;
  readonly writes: number | null;
  readonly opens: number | null;
  readonly closes: number | null;
  readonly mkdirs: number | null;
  readonly mknods: number | null;
  readonly links: number | null;
  readonly renames: number | null;
  readonly rmdirs: number | null;
  readonly unlinks: number | null;
  readonly zone?: string;
}

export interface MinuteRow {
  readonly cluster?: string | null;
  readonly job_key: bigint;
  readonly job_id: string;
  readonly file_system: string;
  readonly target: string;
  readonly minute_unix: number;
  readonly bytes_read: number | null;
  readonly bytes_written: number | null;
  readonly opens: number | null;
  readonly closes: number | null;
}

export interface Corpus {
  readonly jobs: JobRow[];
  readonly minutes: MinuteRow[];
}

export const keyOf = (id: string): bigint => createHash("sha256").update(id).digest().readBigUInt64BE(0);

const NS = 1_000_000_000n;
/** 1 March 2018, UTC: 34 days from here have a change of clocks. */
const BASE = 1_519_862_400;

export function randomCorpus(seed: number, count = 160): Corpus {
  const random = new Random(seed);
  const [jobs, minutes]: [JobRow[], MinuteRow[]] = [[], []];
  const chance = (share: number) => random.unit() < share;
  const lognormal = (middle: number, spread: number) =>
    Math.round(middle * Math.exp(spread * (random.unit() + random.unit() + random.unit() - 1.5) * 2));
  for (let i = 0; i < count; i++) {
    const id = chance(0.03) && i > 5 ? String(1000 + i - 3) : String(1000 + i);
    const start = BASE + Math.floor(random.unit() * 34 * 86_400);
    const length = chance(0.04)
      ? 86_400 + random.below(90_000)
      : chance(0.4)
        ? random.below(90)
        : random.below(chance(0.1) ? 9000 : 2000);
    const bad = chance(0.03);
    const counted = chance(0.85);
    const wrote = counted && chance(0.6);
    const written = wrote ? lognormal(1e9, 2) : 0;
    const calls = (from: number) =>
      counted ? (wrote ? lognormal(Math.sqrt(written) / from, 0.8) : random.below(3)) : null;
    const job: JobRow = {
      job_key: keyOf(id),
      job_id: id,
      source: "both",
      cluster: chance(0.5) ? "cab" : chance(0.95) ? "quartz" : null,
      user_id: chance(0.95) ? random.below(40) : null,
      user_name: chance(0.5) ? `u${random.below(5)}` : null,
      name: `p${random.below(3)}`,
      nodes: chance(0.96) ? 1 + random.below(chance(0.1) ? 300 : 12) : null,
      node_memory_bytes: chance(0.8) ? 32_000_000_000 : null,
      start_unix_ns: bad && chance(0.5) ? null : BigInt(start) * NS,
      end_unix_ns: bad ? BigInt(start - 100) * NS : BigInt(start + length) * NS + BigInt(random.below(1e9)),
      bytes_read: counted ? (chance(0.5) ? lognormal(1e9, 2) : 0) : null,
      bytes_written: counted ? written : null,
      writes: counted ? (wrote && chance(0.97) ? 1 + Math.floor(written / lognormal(5e4, 1.5)) : 0) : null,
      opens: calls(10),
      closes: calls(12),
      mkdirs: calls(100),
      mknods: calls(20),
      links: null,
      renames: calls(200),
      rmdirs: calls(300),
      unlinks: calls(50),
    };
    jobs.push(job);
    if (chance(length > 20_000 ? 0.1 : 0.4)) addMinutes(minutes, random, id, start, length);
  }
  for (let i = 0; i < 5; i++) addMinutes(minutes, random, `login.${i}`, BASE + random.below(1e6), 40 * 60);
  // What no job did.
  addMinutes(minutes, random, "", BASE + 1000, 600);
  return { jobs, minutes };
}

function addMinutes(minutes: MinuteRow[], random: Random, id: string, start: number, length: number): void {
  const [first, last] = [Math.floor(start / 60), Math.floor((start + length) / 60)];
  const kind = random.below(4);
  const period = 2 + random.below(12);
  const size = 10 ** (2 + 9 * random.unit());
  for (let minute = first - random.below(2); minute <= last + random.below(4); minute++) {
    const on =
      kind === 0
        ? (minute - first) % period < period / 2
        : kind === 1
          ? true
          : kind === 2
            ? random.unit() < 0.5
            : false;
    const targets = 1 + random.below(2);
    for (let t = 0; t < targets; t++) {
      if (!on && random.unit() < 0.7) continue;
      minutes.push({
        ...row(id, minute, `OST000${random.below(4)}`),
        bytes_read: random.unit() < 0.3 ? random.below(1e9) : 0,
        bytes_written: on ? Math.ceil(size * (0.8 + 0.4 * random.unit())) : 0,
        opens: null,
        closes: null,
      });
    }
    if (random.unit() < 0.1)
      minutes.push({
        ...row(id, minute, `MDT000${random.below(3)}`),
        bytes_read: 0,
        bytes_written: null,
        opens: random.below(50),
        closes: random.below(40),
      });
  }
}

const row = (id: string, minute: number, target: string) => ({
  job_key: keyOf(id),
  job_id: id,
  file_system: "fs",
  target,
  minute_unix: minute,
});
