/** Two clusters with jobs, user numbers and user names in common: who sees what, and what a page counts. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { storedJobs, storedMinutes, storedReadings, storedRuns } from "../model/index.ts";
import { Store } from "../store/index.ts";
import { END, startSite, type TestSite } from "./test-kit.ts";

const NS = 60_000_000_000n;
const FROM = END - 100;
const keyOf = (id: string): bigint => createHash("sha256").update(id).digest().readBigUInt64BE(0);
const folder = mkdtempSync(join(tmpdir(), "plimsoll-clusters-"));
const JOBS = [
  { id: "500", cluster: "cab", user: "ada", uid: 7n, from: 0, to: 40 },
  { id: "500", cluster: "quartz", user: "bob", uid: 7n, from: 20, to: 90 },
  { id: "501", cluster: "cab", user: "ada", uid: 11n, from: 0, to: 40 },
] as const;
/** Without a cluster: at minute 30 both ran, at 60 quartz's alone. */
const MINUTES = [
  { id: "500", cluster: "cab", at: 10, bytes: 1_000_000n },
  { id: "500", cluster: "quartz", at: 50, bytes: 20_000_000n },
  { id: "500", cluster: null, at: 30, bytes: 300_000_000n },
  { id: "500", cluster: null, at: 60, bytes: 4_000_000_000n },
  { id: "501", cluster: "cab", at: 10, bytes: 5_000n },
] as const;
let site: TestSite;

beforeAll(async () => {
  const store = await Store.create(join(folder, "store"), { memoryBytes: 128 << 20, threads: 1 });
  const batch = store.beginBatch({ writer: "test" });
  await batch.append(storedJobs, JOBS.length, {
    ...{ source: { all: "scheduler" }, synthetic: { all: 0 } },
    job_key: JOBS.map(({ id }) => keyOf(id)),
    job_id: JOBS.map(({ id }) => id),
    cluster: JOBS.map(({ cluster }) => cluster),
    user_id: JOBS.map(({ uid }) => uid),
    user_name: JOBS.map(({ user }) => user),
    submit_unix_ns: JOBS.map(({ from }) => BigInt(FROM + from) * NS),
    start_unix_ns: JOBS.map(({ from }) => BigInt(FROM + from) * NS),
    end_unix_ns: JOBS.map(({ to }) => BigInt(FROM + to) * NS),
  });
  await batch.append(storedMinutes, MINUTES.length, {
    job_key: MINUTES.map(({ id }) => keyOf(id)),
    job_id: MINUTES.map(({ id }) => id),
    cluster: MINUTES.map(({ cluster }) => cluster),
    ...{ file_system: { all: "fs" }, target: { all: "OST0000" }, seconds: { all: 60 } },
    minute_unix: MINUTES.map(({ at }) => BigInt(FROM + at)),
    bytes_read: { all: 0n },
    bytes_written: MINUTES.map(({ bytes }) => bytes),
    ...{ writes: { all: 10n }, metadata_calls: { all: 0n } },
  });
  await batch.append(storedReadings, 1, {
    ...{
      file_system: { all: "fs" },
      target: { all: "OST0000" },
      kind: { all: "job_stats" },
      synthetic: { all: 0 },
    },
    from_unix_ns: { all: BigInt(FROM) * NS },
    to_unix_ns: { all: BigInt(END) * NS },
    readings: { all: 100 },
  });
  // Number 7 is ada's on one cluster and bob's on the other; logs do not say which.
  await batch.append(storedRuns, 2, {
    run_id: [1n, 2n],
    source: ["/logs/secret-of-bob.darshan", "/logs/of-ada.darshan"],
    job_id: ["500", "501"],
    user_id: [7n, 11n],
    application: ["app-of-bob", "app-of-ada"],
    application_id: [1n, 2n],
    ...{ ranks: { all: 4n }, run_seconds: { all: 60 }, files: { all: 1n }, synthetic: { all: 0 } },
    ...{ bytes_read: { all: 0n }, bytes_written: { all: 1000n } },
    start_unix_ns: [BigInt(FROM + 21) * NS, BigInt(FROM) * NS],
  });
  await batch.commit();
  await store.close();
  site = await startSite(join(folder, "store"), { userHeader: "x-remote-user", admins: ["root"] });
}, 60_000);
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

const as = (user: string, path: string) => site.get(path, { "x-remote-user": user });
const sumOf = (csv: string, name: string): number => {
  const [head = [], ...rows] = csv
    .trim()
    .split("\r\n")
    .map((line) => line.split(","));
  return rows.reduce((sum, row) => sum + Number(row[head.indexOf(name)]), 0);
};

it.each([
  ["ada", 1_000_000, "bob"],
  ["bob", 4_020_000_000, "ada"],
])("of a number on two clusters %s sees the own run alone", async (user, bytes, other) => {
  const { status, text } = await as(user, "/job/500");
  expect(status).toBe(200);
  expect(text).not.toContain(`<dd>${other}`);
  expect(text).not.toContain("300 MB");
  expect(text).not.toContain("app-of-bob");
  expect(sumOf((await as(user, "/job/500?csv=map")).text, "bytes")).toBe(bytes);
});

it("an administrator sees both runs, and what nobody can tell", async () => {
  const { text } = await as("root", "/job/500");
  for (const word of ["ada", "bob", "300 MB", "app-of-bob"]) expect(text).toContain(word);
});

it.each([
  ["ada", 1_005_000],
  ["bob", 4_020_000_000],
])("the page of %s counts what is of this user, as rankings do", async (user, bytes) => {
  expect(sumOf((await as(user, `/user/${user}?csv=jobs`)).text, "written")).toBe(bytes);
  const who = (await as("root", "/?span=3h&csv=who-bytes")).text.split("\r\n");
  expect(Number(who.find((line) => line.startsWith(`${user},`))?.split(",")[2])).toBe(bytes);
});

it("logs of a number that two users have are nobody's but an administrator's", async () => {
  for (const user of ["ada", "bob"])
    for (const path of ["/runs", "/applications", "/files"])
      expect((await as(user, path)).text).not.toContain("of-bob");
  expect((await as("ada", "/runs")).text).toContain("app-of-ada");
  expect((await as("ada", "/run/1")).status).toBe(404);
  expect((await as("ada", "/run/1/report")).status).toBe(404);
  expect((await as("root", "/runs")).text).toContain("app-of-bob");
});
