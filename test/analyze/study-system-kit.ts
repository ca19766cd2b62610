/** Small stores for tests of the study of a system, and the study of them. */
import { memoryStore } from "../../src/analyze/study/common/test-kit.ts";
import {
  runStudy,
  type Study,
  type SystemOptions,
  systemOptions,
} from "../../src/analyze/study/system/index.ts";
import { jobTotals } from "../../src/store/job-totals.ts";
import { type Corpus, type JobRow, keyOf, type MinuteRow, randomCorpus } from "./study-system-corpus.ts";

export const QUICK = { replicates: 20 };

export async function study(corpus: Partial<Corpus>, options: Partial<SystemOptions> = {}): Promise<Study> {
  const db = await memoryStore();
  try {
    await db.run(`create view job_totals as ${jobTotals(["scheduler", "clients", "both"])}`);
    if (corpus.jobs?.length) await db.insert("jobs", corpus.jobs as never);
    if (corpus.minutes?.length) await db.insert("minutes", corpus.minutes as never);
    return await runStudy(db, systemOptions({ ...QUICK, ...options }));
  } finally {
    db.close();
  }
}

/** The start of a minute. */
export const DAY = 1_520_000_040;
export const job = (id: string, start: number, seconds: number, more: Partial<JobRow> = {}): JobRow => ({
  ...(randomCorpus(1, 1).jobs[0] as JobRow),
  job_key: keyOf(id),
  job_id: id,
  cluster: "c",
  user_id: 1,
  nodes: 1,
  node_memory_bytes: 1000,
  start_unix_ns: BigInt(start) * 1_000_000_000n,
  end_unix_ns: BigInt(start + seconds) * 1_000_000_000n,
  ...more,
});
export const minute = (id: string, at: number, written: number, read = 0): MinuteRow => ({
  job_key: keyOf(id),
  job_id: id,
  file_system: "fs",
  target: "OST0000",
  minute_unix: at,
  bytes_read: read,
  bytes_written: written,
  opens: null,
  closes: null,
});
export const first = Math.floor(DAY / 60);
export const value = ({ items }: Study, item: string, key: string) => Number(items[item]?.values[key]);
