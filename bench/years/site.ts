/** Counters of a large site as rows of a store, hour by hour: what collectors and a scheduler would have said. */
import { createHash } from "node:crypto";
import { Random } from "../../src/base/prng.ts";
import { storedJobs, storedMinutes, storedReadings, storedTargets } from "../../src/model/index.ts";
import type { Batch } from "../../src/store/index.ts";

export const OSTS = 500;
const MDTS = 4;
export const JOBS_PER_HOUR = 3000;
const USERS = 900;
const ACCOUNTS = 120;
const MINUTE_NS = 60_000_000_000n;

interface Job {
  readonly id: string;
  readonly key: bigint;
  readonly user: number;
  readonly first: number;
  readonly end: number;
  readonly osts: readonly number[];
  readonly busy: number;
  readonly bytes: number;
}

/** The median of a published site is two minutes, the mean fifty: most jobs are short, and few make the load. */
const minutesOf = (random: Random): number =>
  Math.max(1, Math.min(1440, Math.round(2 * Math.exp(2.5 * normal(random)))));

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.unit())) * Math.cos(2 * Math.PI * random.unit());
}

const keyOf = (id: string): bigint => createHash("sha256").update(id).digest().readBigUInt64BE(0);
export const ostName = (index: number): string => `OST${index.toString(16).padStart(4, "0")}`;

export class Site {
  readonly #random = new Random(25);
  #running: Job[] = [];
  #next = 1_000_000;
  rows = { minutes: 0, targets: 0, jobs: 0 };

  /** One hour of everything; `hour` since 1970. */
  async hour(batch: Batch, hour: number): Promise<void> {
    const random = this.#random;
    const begun: Job[] = [];
    for (let i = 0; i < JOBS_PER_HOUR; i++) {
      const id = String(this.#next++);
      const first = hour * 60 + Math.floor(random.unit() * 60);
      const stripes = random.unit() < 0.6 ? 1 : random.unit() < 0.7 ? 4 : 16;
      const at = Math.floor(random.unit() * OSTS);
      begun.push({
        ...{ id, key: keyOf(id), user: Math.floor(USERS * random.unit() ** 3), first },
        end: first + minutesOf(random),
        osts: Array.from({ length: stripes }, (_, n) => (at + n) % OSTS),
        busy: 0.1 + 0.8 * random.unit(),
        bytes: Math.exp(14 + 3 * normal(random)),
      });
    }
    this.#running.push(...begun);
    await this.#minutes(batch, hour);
    await this.#targets(batch, hour);
    await this.#jobs(batch, begun);
    this.#running = this.#running.filter(({ end }) => end > (hour + 1) * 60);
  }

  async #minutes(batch: Batch, hour: number): Promise<void> {
    const random = this.#random;
    const keys: bigint[] = [];
    const ids: string[] = [];
    const targets: string[] = [];
    const times: bigint[] = [];
    const counts: (bigint | null)[][] = [[], [], [], [], [], []];
    const add = (job: Job, target: string, minute: number, values: readonly (bigint | null)[]) => {
      keys.push(job.key);
      ids.push(job.id);
      targets.push(target);
      times.push(BigInt(minute));
      for (const [at, value] of values.entries()) counts[at]?.push(value);
    };
    for (const job of this.#running)
      for (
        let minute = Math.max(job.first, hour * 60);
        minute < Math.min(job.end, hour * 60 + 60);
        minute++
      ) {
        if (random.unit() > job.busy) continue;
        const [opens, calls] = [
          BigInt(1 + Math.floor(random.unit() * 50)),
          BigInt(1 + Math.floor(random.unit() * 500)),
        ];
        add(job, `MDT000${job.user % MDTS}`, minute, [null, null, null, null, opens, 3n * opens]);
        const bytes = BigInt(Math.round(job.bytes / job.osts.length));
        const isRead = random.unit() < 0.3;
        for (const ost of job.osts)
          add(
            job,
            ostName(ost),
            minute,
            isRead ? [bytes, 0n, calls, 0n, null, null] : [0n, bytes, 0n, calls, null, null],
          );
      }
    const [bytes_read, bytes_written, reads, writes, opens, metadata_calls] = counts as [
      (bigint | null)[],
      ...(bigint | null)[][],
    ];
    this.rows.minutes += keys.length;
    await batch.append(storedMinutes, keys.length, {
      ...{
        job_key: keys,
        job_id: ids,
        cluster: { all: "big" },
        file_system: { all: "scratch" },
        target: targets,
      },
      ...{ minute_unix: times, seconds: { all: 60 } },
      ...({ bytes_read, bytes_written, reads, writes, opens, metadata_calls } as Record<string, bigint[]>),
    });
  }

  async #targets(batch: Batch, hour: number): Promise<void> {
    const names = [
      ...Array.from({ length: OSTS }, (_, at) => ostName(at)),
      ...Array.from({ length: MDTS }, (_, at) => `MDT000${at}`),
    ];
    const count = names.length * 60;
    const random = this.#random;
    const amounts = (most: number) =>
      Array.from({ length: count }, () => BigInt(Math.floor(random.unit() ** 3 * most)));
    this.rows.targets += count;
    await batch.append(storedTargets, count, {
      ...{ file_system: { all: "scratch" }, seconds: { all: 60 } },
      target: Array.from({ length: count }, (_, at) => names[at % names.length] as string),
      server: Array.from({ length: count }, (_, at) => `oss${(at % names.length) >> 4}`),
      minute_unix: Array.from({ length: count }, (_, at) =>
        BigInt(hour * 60 + Math.floor(at / names.length)),
      ),
      ...{
        bytes_read: amounts(1e10),
        bytes_written: amounts(2e10),
        reads: amounts(1e4),
        writes: amounts(2e4),
      },
      metadata_calls: amounts(1e5),
    });
    for (const kind of ["job_stats", "ost_stats"])
      await batch.append(storedReadings, names.length, {
        ...{ synthetic: { all: 1 }, file_system: { all: "scratch" }, target: names, kind: { all: kind } },
        from_unix_ns: { all: BigInt(hour * 60) * MINUTE_NS },
        to_unix_ns: { all: BigInt(hour * 60 + 60) * MINUTE_NS },
        readings: { all: 60 },
      });
  }

  async #jobs(batch: Batch, jobs: readonly Job[]): Promise<void> {
    this.rows.jobs += jobs.length;
    await batch.append(storedJobs, jobs.length, {
      ...{
        synthetic: { all: 1 },
        source: { all: "scheduler" },
        cluster: { all: "big" },
        state: { all: "COMPLETED" },
      },
      job_key: jobs.map(({ key }) => key),
      job_id: jobs.map(({ id }) => id),
      user_id: jobs.map(({ user }) => BigInt(10_000 + user)),
      user_name: jobs.map(({ user }) => `user${user}`),
      account: jobs.map(({ user }) => `project${user % ACCOUNTS}`),
      name: jobs.map(({ user }) => `program${user % 40}`),
      nodes: jobs.map(({ osts }) => BigInt(osts.length * 4)),
      submit_unix_ns: jobs.map(({ first }) => BigInt(first - 5) * MINUTE_NS),
      start_unix_ns: jobs.map(({ first }) => BigInt(first) * MINUTE_NS),
      end_unix_ns: jobs.map(({ end }) => BigInt(end) * MINUTE_NS),
    });
  }
}
