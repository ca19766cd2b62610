/** Jobs as rows of the store. */
import { createHash } from "node:crypto";
import { type RowSink, storedJobs } from "../../model/index.ts";
import { put, putHalves, putMissing, putNanoseconds, TableBuffer } from "../reuse/index.ts";
import { COUNTERS, type JobBlock } from "./job-block.ts";
import { PROGRAMS } from "./jobs.ts";
import { JOBS, ZONE } from "./scenario.ts";

/** Rows that are handed over together; texts that wait longer are copied by every small garbage collection. */
const BATCH_ROWS = 4096;

export const userNumber = (block: Pick<JobBlock, "cluster">, user: number) => block.cluster.firstUser + user;
export const userName = (block: Pick<JobBlock, "cluster">, user: number) =>
  `${block.cluster.name[0]}user${user}`;
export const accountName = (user: number) => `acct${user % 17}`;
export const stateName = (state: number) => (JOBS.states[state] as (typeof JOBS.states)[number])[0];
export const programName = (program: number) => PROGRAMS[program] as string;

/** The number of a job id: the first eight bytes of its SHA-256, in halves. */
export class JobKey {
  low = 0;
  high = 0;

  of(jobId: string): void {
    const digest = createHash("sha256").update(jobId, "latin1").digest();
    this.high = digest.readUInt32BE(0);
    this.low = digest.readUInt32BE(4);
  }
}

const INTEGERS = ["user_id", "nodes", "cpus", "node_memory_bytes", "nodes_counted", "nodes_dropped"] as const;

export class JobRows {
  rows = 0;
  readonly #sink: RowSink;
  readonly #buffer = new TableBuffer(storedJobs, BATCH_ROWS, {
    constants: {
      source: "both",
      partition: "pbatch",
      node_list: null,
      warnings: null,
      node_warnings: null,
      synthetic: 1,
      zone: ZONE,
    },
  });
  readonly #key = new JobKey();
  readonly #names = new Map<string, readonly string[]>();

  constructor(sink: RowSink) {
    this.#sink = sink;
  }

  /** Jobs are counted, and kept if asked for. */
  async add(block: JobBlock, isKept: boolean): Promise<void> {
    this.rows += block.count;
    if (!isKept) return;
    for (let row = 0; row < block.count; row++) {
      if (this.#buffer.rows === BATCH_ROWS) await this.#buffer.flush(this.#sink);
      this.#row(block, row);
    }
  }

  async end(): Promise<void> {
    await this.#buffer.flush(this.#sink);
  }

  #row(block: JobBlock, from: number): void {
    const buffer = this.#buffer;
    const at = buffer.rows++;
    const { facts, counters, cluster } = block;
    const user = facts.user[from] as number;
    const nodes = facts.nodes[from] as number;
    const jobId = String(facts.job[from]);
    this.#key.of(jobId);
    putHalves(buffer.halves("job_key"), at, this.#key.low, this.#key.high);
    buffer.texts("job_id")[at] = jobId;
    buffer.texts("cluster")[at] = cluster.name;
    buffer.texts("user_name")[at] = this.#userName(block, user);
    buffer.texts("account")[at] = ACCOUNTS[user % ACCOUNTS.length] as string;
    buffer.texts("name")[at] = programName(facts.program[from] as number);
    buffer.texts("state")[at] = stateName(facts.state[from] as number);
    const { hasCounters } = block;
    const values = [
      userNumber(block, user),
      nodes,
      nodes * cluster.coresPerNode,
      cluster.nodeMemoryBytes,
      hasCounters ? nodes : undefined,
      hasCounters ? 0 : undefined,
    ];
    for (let i = 0; i < INTEGERS.length; i++) {
      const column = buffer.halves(INTEGERS[i] as string);
      const value = values[i];
      if (value === undefined) putMissing(column, at);
      else put(column, at, value);
    }
    putNanoseconds(buffer.halves("submit_unix_ns"), at, 1000 * (facts.submit[from] as number));
    putNanoseconds(buffer.halves("start_unix_ns"), at, 1000 * (facts.start[from] as number));
    putNanoseconds(buffer.halves("end_unix_ns"), at, 1000 * (facts.end[from] as number));
    for (const name of COUNTERS) {
      const column = buffer.halves(name);
      if (hasCounters) put(column, at, counters[name][from] as number);
      else putMissing(column, at);
    }
  }

  /** One text for each user, so that the store sees the same one again. */
  #userName(block: JobBlock, user: number): string {
    const { name, users } = block.cluster;
    let names = this.#names.get(name);
    if (names === undefined) {
      names = Array.from({ length: users }, (_, i) => userName(block, i));
      this.#names.set(name, names);
    }
    return names[user] ?? userName(block, user);
  }
}

const ACCOUNTS = Array.from({ length: 17 }, (_, i) => accountName(i));
