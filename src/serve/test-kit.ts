/** A small store with names that want to be markup, and a site over it. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  storedAccesses,
  storedFiles,
  storedJobs,
  storedMinutes,
  storedReadings,
  storedRuns,
  storedTargets,
} from "../model/index.ts";
import { Store } from "../store/index.ts";
import { serveSite, type SiteOptions } from "./index.ts";

export const TOKEN = "0123456789abcdef0123456789abcdef";
export const HOSTILE = `<img src=x onerror="window.hacked=1">'--`;
/** The last minute of the store, 2026-06-01T12:00 UTC. */
export const END = Date.UTC(2026, 5, 1, 12) / 60_000;
const NS = 60_000_000_000n;
const FIRST = END - 180;
export const JOBS = [
  { id: "101", user: "alice", uid: 1001, account: "physics", name: "solver" },
  { id: "102", user: "bob", uid: 1002, account: "biology", name: HOSTILE },
  { id: `x${HOSTILE}`, user: `u${HOSTILE}`, uid: 1003, account: `a${HOSTILE}`, name: "evil" },
] as const;
const TARGETS = ["OST0000", "OST0001", "OST0002", `OST${HOSTILE}`, "MDT0000"];
const keyOf = (id: string): bigint => createHash("sha256").update(id).digest().readBigUInt64BE(0);

export interface TestStore {
  readonly path: string;
  /** One more minute of one job. */
  add(minute: number, bytes: bigint): Promise<void>;
  remove(): void;
}

export async function makeStore(): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-serve-test-"));
  const path = join(folder, "store");
  const store = await Store.create(path, { memoryBytes: 128 << 20, threads: 1 });
  const batch = store.beginBatch({ writer: "test" });
  const rows = JOBS.flatMap((job, nth) =>
    TARGETS.flatMap((target, at) =>
      Array.from({ length: 180 }, (_, minute) => ({
        job,
        target,
        minute: FIRST + minute,
        bytes: BigInt(1e6 * (nth + 1) * (at + 1)),
      })),
    ),
  );
  await batch.append(storedMinutes, rows.length, {
    job_key: rows.map(({ job }) => keyOf(job.id)),
    job_id: rows.map(({ job }) => job.id),
    file_system: { all: "fs" },
    target: rows.map(({ target }) => target),
    minute_unix: rows.map(({ minute }) => BigInt(minute)),
    seconds: { all: 60 },
    bytes_read: { all: 0n },
    bytes_written: rows.map(({ bytes }) => bytes),
    writes: { all: 10n },
    metadata_calls: { all: 5n },
    opens: { all: 2n },
  });
  const minutes = TARGETS.flatMap((target, at) =>
    Array.from({ length: 180 }, (_, minute) => ({ target, at, minute: FIRST + minute })),
  );
  await batch.append(storedTargets, minutes.length, {
    file_system: { all: "fs" },
    target: minutes.map(({ target }) => target),
    minute_unix: minutes.map(({ minute }) => BigInt(minute)),
    seconds: { all: 60 },
    bytes_read: { all: 0n },
    bytes_written: minutes.map(({ at }) => BigInt(7e6 * (at + 1))),
    writes: { all: 40n },
    metadata_calls: { all: 20n },
    opens: { all: 8n },
  });
  for (const kind of ["job_stats", "ost_stats"])
    await batch.append(storedReadings, TARGETS.length, {
      ...{
        synthetic: { all: 1 },
        file_system: { all: "fs" },
        target: TARGETS,
        kind: { all: kind },
        server: { all: "oss1" },
      },
      from_unix_ns: { all: BigInt(FIRST) * NS },
      to_unix_ns: { all: BigInt(END) * NS - 1n },
      readings: { all: 180 },
    });
  await batch.append(storedJobs, JOBS.length, {
    ...{ synthetic: { all: 1 }, source: { all: "scheduler" } },
    job_key: JOBS.map(({ id }) => keyOf(id)),
    job_id: JOBS.map(({ id }) => id),
    user_id: JOBS.map(({ uid }) => BigInt(uid)),
    user_name: JOBS.map(({ user }) => user),
    account: JOBS.map(({ account }) => account),
    name: JOBS.map(({ name }) => name),
    nodes: { all: 2n },
    submit_unix_ns: { all: BigInt(FIRST) * NS },
    start_unix_ns: { all: BigInt(FIRST) * NS },
    end_unix_ns: { all: BigInt(END) * NS },
  });
  await batch.append(storedRuns, JOBS.length, {
    run_id: JOBS.map((_, nth) => BigInt(nth + 1)),
    source: JOBS.map(({ user }) => `/logs/${user}.darshan`),
    job_id: JOBS.map(({ id }) => id),
    user_id: JOBS.map(({ uid }) => BigInt(uid)),
    application: JOBS.map(({ name }) => name),
    application_id: JOBS.map(({ name }) => keyOf(name)),
    ...{ ranks: { all: 4n }, run_seconds: { all: 60 }, files: { all: 1n }, synthetic: { all: 1 } },
    start_unix_ns: { all: BigInt(FIRST) * NS },
    end_unix_ns: { all: BigInt(END) * NS },
    ...{ bytes_read: { all: 0n }, bytes_written: { all: 1000n } },
  });
  await batch.append(storedAccesses, JOBS.length, {
    run_id: JOBS.map((_, nth) => BigInt(nth + 1)),
    file_id: JOBS.map((_, nth) => BigInt(nth + 11)),
    application_id: JOBS.map(({ name }) => keyOf(name)),
    user_id: JOBS.map(({ uid }) => BigInt(uid)),
    ...{
      bytes_read: { all: 0n },
      bytes_written: { all: 1000n },
      shared: { all: 0 },
      partial: { all: 0 },
      ranks: { all: 1n },
    },
  });
  await batch.append(storedFiles, JOBS.length, {
    file_id: JOBS.map((_, nth) => BigInt(nth + 11)),
    path: JOBS.map(({ user }) => `/home/${user}/secret-of-${user}`),
  });
  await batch.commit();
  await store.close();
  return {
    path,
    async add(minute, bytes) {
      const again = await Store.open(path, { memoryBytes: 128 << 20, threads: 1 });
      const more = again.beginBatch({ writer: "test" });
      await more.append(storedTargets, 1, {
        ...{
          file_system: { all: "fs" },
          target: { all: "OST0000" },
          minute_unix: { all: BigInt(minute) },
          seconds: { all: 60 },
        },
        bytes_written: { all: bytes },
      });
      await more.append(storedReadings, 1, {
        ...{
          synthetic: { all: 1 },
          file_system: { all: "fs" },
          target: { all: "OST0000" },
          kind: { all: "ost_stats" },
        },
        from_unix_ns: { all: BigInt(minute) * NS },
        to_unix_ns: { all: BigInt(minute + 1) * NS - 1n },
        readings: { all: 1 },
      });
      await more.commit();
      await again.close();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export interface TestSite {
  readonly port: number;
  get(path: string, headers?: Record<string, string | string[]>, method?: string): Promise<TestReply>;
  close(): Promise<void>;
}

interface TestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export async function startSite(store: string, options: Partial<SiteOptions> = {}): Promise<TestSite> {
  const server = await serveSite({
    ...{ store, host: "127.0.0.1", port: 0, token: TOKEN, admins: [], sql: false, madeBy: "Plimsoll test" },
    ...{ memoryBytes: 256 << 20, threads: 1, nowUnix: () => END * 60 },
    ...options,
  });
  const { port } = server.address;
  return {
    port,
    close: () => server.close(),
    get: (path, headers = {}, method = "GET") =>
      new Promise((resolve, reject) => {
        const asked = request(
          {
            port,
            host: "127.0.0.1",
            path,
            method,
            headers: { authorization: `Bearer ${TOKEN}`, ...headers },
          },
          (reply) => {
            const pieces: Buffer[] = [];
            reply.on("data", (piece: Buffer) => pieces.push(piece));
            reply.on("end", () =>
              resolve({
                status: reply.statusCode ?? 0,
                headers: reply.headers,
                text: Buffer.concat(pieces).toString(),
              }),
            );
          },
        );
        asked.on("error", reject);
        asked.end();
      }),
  };
}

/** Asks until the answer is it; whoever waits too long is stopped by the test's own limit. */
export async function until<T>(ask: () => Promise<T>, isIt: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isIt(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
