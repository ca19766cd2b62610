/** A folder of logs of a job without MPI: USER/PROGRAM/JOBID/HOST/PID-….darshan. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import { posix } from "../formats/darshan/modules/index.ts";
import { recordId } from "../formats/darshan/record-id.ts";
import { counterRecord } from "../formats/darshan/records.ts";
import { LogWriter, memorySink } from "../formats/darshan/writer.ts";
import { nodeEncoders } from "../node/encoders.ts";
import { inside } from "./darshan/test-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-tree-"));
afterAll(() => rmSync(folder, { recursive: true }));

function save(path: string, jobId: number, bytes: number): void {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders });
  const times = { startSeconds: 1_700_000_000, endSeconds: 1_700_000_060 };
  writer.job({ uid: 1, ...times, nprocs: 1, jobId, metadata: [], commandLine: "/apps/a", mounts: [] });
  const name = `/scratch/${jobId}/${bytes}`;
  writer.names([{ id: recordId(name), name }]);
  const values = { POSIX_OPENS: 1, POSIX_WRITES: 1, POSIX_BYTES_WRITTEN: bytes, POSIX_F_WRITE_TIME: 1 };
  writer.module(posix, [counterRecord(posix, { id: recordId(name), rank: 0 }, values)]);
  writer.finish();
  const whole = join(folder, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, path.endsWith(".gz") ? gzipSync(sink.bytes()) : sink.bytes());
}

it("is one job, its processes in the order of host and process id", async () => {
  save("u/p/77/n10/5-a.darshan", 77, 1000);
  save("u/p/77/n9/20-b.darshan", 77, 200);
  save("u/p/77/n9/3-c.darshan.gz", 77, 30);
  writeFileSync(join(folder, "u/p/77/n9/notes.txt"), "hello");
  const { code, out } = await inside("report", join(folder, "u/p/77"), "--json");
  expect(code).toBe(0);
  const { job, metrics } = JSON.parse(out);
  expect(job.ranks).toBe(3);
  expect(job.runSeconds).toBe(60);
  expect(metrics.bytesWritten).toBe(1230);
  expect(job.logs.map((path: string) => path.slice(path.indexOf("77/")))).toEqual([
    ...["77/n9/3-c.darshan.gz", "77/n9/20-b.darshan", "77/n10/5-a.darshan"],
  ]);
});

it("never adds up different jobs: one line names them and how to choose", async () => {
  save("u/q/78/n1/1-d.darshan", 78, 5);
  const { code, err } = await inside("report", join(folder, "u"));
  expect(code).toBe(2);
  expect(err).toMatch(
    /^plimsoll: the logs belong to 2 different jobs: 77 .*u\/p\/77\), 78 [^\n]*pass the logs or the folder of one job[^\n]*\n$/,
  );
});

it("counts a log and its copies once, with one note", async () => {
  for (const name of ["n1/1-a.darshan", "n1/1-a.darshan.gz", "n2/1-copy.darshan"])
    save(`twins/${name}`, 80, 7);
  save("twins/n2/2-b.darshan", 80, 8);
  const { code, out, err } = await inside("report", join(folder, "twins"), "--json");
  expect(code).toBe(3);
  const { job, metrics } = JSON.parse(out);
  expect([job.ranks, job.logs.length, metrics.bytesWritten]).toEqual([2, 2, 15]);
  expect(err.trim().split("\n")).toEqual([
    expect.stringMatching(/1-a\.darshan\.gz: identical to .*1-a\.darshan; .* 1 more logs are copies/),
  ]);
});

it("tells large logs apart that differ in the middle only", async () => {
  const names = Array.from({ length: 3000 }, (_, i) => `/scratch/file-${(i * 7919) % 3000}-${i ** 3}`);
  const big = (middle: number) => {
    const sink = memorySink();
    const writer = new LogWriter(sink, { encoders: nodeEncoders });
    const times = { startSeconds: 1_700_000_000, endSeconds: 1_700_000_060 };
    writer.job({ uid: 1, ...times, nprocs: 1, jobId: 81, metadata: [], commandLine: "/a", mounts: [] });
    writer.names(names.map((name) => ({ id: recordId(name), name })));
    writer.module(
      posix,
      names.map((name, i) =>
        counterRecord(
          posix,
          { id: recordId(name), rank: 0 },
          { POSIX_OPENS: 1, POSIX_WRITES: 1, POSIX_BYTES_WRITTEN: i === 1500 ? middle : i },
        ),
      ),
    );
    writer.finish();
    return sink.bytes();
  };
  mkdirSync(join(folder, "big"));
  for (const [name, middle] of [
    ["a", 4097],
    ["b", 4098],
    ["c", 4097],
  ] as const)
    writeFileSync(join(folder, "big", `${name}.darshan`), big(middle));
  const { out, err } = await inside("report", join(folder, "big"), "--json");
  expect(JSON.parse(out).job.logs.map((path: string) => path.slice(-9))).toEqual(["a.darshan", "b.darshan"]);
  expect(err).toMatch(/c\.darshan: identical to .*a\.darshan; counted once\n$/);
});

it("says what it knows of a folder that holds nothing to read", async () => {
  mkdirSync(join(folder, "empty/below"), { recursive: true });
  const { code, err } = await inside("report", join(folder, "empty"));
  expect(code).toBe(1);
  expect(err).toContain("the folder is empty");
});
