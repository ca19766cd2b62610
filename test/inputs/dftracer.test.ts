/** Traces of DFTracer through the catalogue: the numbers of an independent script, packed, cut, and in parts. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findInputs } from "../../src/inputs/job/index.ts";
import { nodeHost, readJob } from "../../src/inputs/node.ts";
import { collectInputs } from "../../src/inputs/measure/collect.ts";
import { publicLogFolder } from "../reference-data.ts";

const DATA = dirname(publicLogFolder).replace(/darshan$/, "dftracer");

interface Truth {
  readonly reads: number;
  readonly writes: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly requested: number;
  readonly failed: number;
  readonly processes: number;
  readonly unionMicroseconds: number;
}

async function metricsOf(path: string) {
  const setting = { read: {}, memoryBytes: 2 ** 28, threads: 1 };
  return (await collectInputs(findInputs([path], ["calls"], nodeHost, {}), {}, setting, {})).metrics;
}

describe.skipIf(!existsSync(DATA))("traces with truth", () => {
  it.each([
    ["cm1", "cm1"],
    ["strings-dialect.pfw.gz", "strings-dialect"],
  ])("%s", async (name, truthName) => {
    const truth = JSON.parse(readFileSync(join(DATA, `${truthName}.truth.json`), "utf8")) as Truth;
    const metrics = await metricsOf(join(DATA, name));
    expect(metrics.accesses).toBe(truth.reads + truth.writes);
    expect(metrics.ioTimeNs).toBe(1000 * truth.unionMicroseconds);
    const { job } = await readJob([join(DATA, name)]);
    expect(job.ranks).toBe(truth.processes);
    expect(job.io.bytesRead).toBe(truth.bytesRead);
    expect(job.io.bytesWritten).toBe(truth.bytesWritten);
  });

  it("are the same packed and plain, and from folders", async () => {
    const [first = ""] = readdirSync(join(DATA, "cm1")).sort();
    const packed = join(DATA, "cm1", first);
    const plain = join(folder, "a.pfw");
    writeFileSync(plain, gunzipSync(readFileSync(packed)));
    const { inputs: _, notes: __, ...rest } = await metricsOf(packed);
    expect(await metricsOf(plain)).toMatchObject(rest);
  });
});

let folder = "";
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "plimsoll-dftracer-"))));
afterAll(() => rmSync(folder, { recursive: true }));

const T0 = 1_727_387_307_000_000;
const line = (fields: object) => JSON.stringify({ cat: "POSIX", pid: 1, tid: 1, ...fields });
const read = (at: number, hash = 5) =>
  line({ name: "read", ph: "X", ts: T0 + 100 * at, dur: 10, args: { fhash: hash, ret: 7, count: 8 } });
const named = line({ name: "FH", cat: "dftracer", ph: "M", args: { name: "/scratch/a", value: 5 } });
const reads = Array.from({ length: 5000 }, (_, at) => read(at));

describe("a gzip file", () => {
  it("may have several members, and stop in the middle of one", async () => {
    const members = [0, 1000, 2500].map((from, at, all) =>
      gzipSync(`${at === 0 ? `[\n${named}\n` : ""}${reads.slice(from, all[at + 1]).join("\n")}\n`),
    );
    const whole = Buffer.concat([...members, Buffer.alloc(100)]);
    const path = join(folder, "members.bin");
    writeFileSync(path, whole);
    expect((await metricsOf(path)).accesses).toBe(5000);
    writeFileSync(path, whole.subarray(0, whole.length - 1000));
    const { job } = await readJob([path]);
    const [calls = 0] = job.records.map((record) => record.reads);
    expect(calls).toBeGreaterThan(2500);
    expect(calls).toBeLessThan(5000);
    expect(job.runs[0]?.warnings.join(" ")).toMatch(/the gzip file is cut off at byte \d+/);
  });

  it("that is damaged is refused with its place", async () => {
    const path = join(folder, "damaged.pfw.gz");
    const bytes = gzipSync(`[\n${named}\n${reads.join("\n")}\n`);
    bytes.fill(0xff, bytes.length - 8);
    writeFileSync(path, bytes);
    await expect(metricsOf(path)).rejects.toThrow(/damaged gzip file/);
  });

  it("of another packer is named with what unpacks it", async () => {
    const path = join(folder, "a.pfw.zst");
    writeFileSync(path, Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0]));
    await expect(metricsOf(path)).rejects.toThrow("packed with Zstandard; unpack it first: zstd -d");
  });

  it("holds any format of the catalogue", async () => {
    const path = join(folder, "csv.gz");
    writeFileSync(path, gzipSync("start,end,bytes,pid\n0,1,10,1\n2,3,20,1\n"));
    expect((await metricsOf(path)).accesses).toBe(2);
  });
});

it("names of files may stand in another file of the job", async () => {
  const own = mkdtempSync(join(folder, "job"));
  writeFileSync(join(own, "a.pfw"), `[\n${read(0)}\n`);
  writeFileSync(
    join(own, "b.pfw"),
    `[\n${named.replaceAll('"pid":1', '"pid":2')}\n${read(1).replaceAll('"pid":1', '"pid":2')}\n`,
  );
  const { job } = await readJob([own]);
  expect(job.files.map(({ path }) => path)).toEqual(["/scratch/a"]);
  expect(job.ranks).toBe(2);
  expect((await metricsOf(own)).accesses).toBe(2);
});
