/** MPI calls and router counters of a report, recomputed from the text of darshan parse. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import { apmpi, apxc, posix } from "../../src/formats/darshan/modules/index.ts";
import { recordId } from "../../src/formats/darshan/record-id.ts";
import { counterRecord, type DarshanRecord } from "../../src/formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../src/formats/darshan/writer.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { describeWithPublicData, publicLogs, publicLogTable } from "../reference-data.ts";
import { inside } from "../../src/cli/darshan/test-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-autoperf-"));
afterAll(() => rmSync(folder, { recursive: true }));

const RANKS = 200;
const ROUTERS = 120;

const header = (module: "apmpi" | "apxc", integers: bigint[], syncFlag?: number): DarshanRecord => ({
  ...{ kind: "header", id: recordId(`darshan-${module}-header`), rank: 0n },
  ...{ integers: BigInt64Array.from(integers), reals: Float64Array.from(module === "apmpi" ? [0, 0] : []) },
  ...(syncFlag !== undefined && { syncFlag }),
});

function mpiRecord(rank: number, random: Random): DarshanRecord {
  const values: Record<string, number> = {};
  let [all, sync] = [0, 0];
  for (const op of ["SEND", "IRECV", "WAITALL", "BARRIER", "ALLREDUCE"]) {
    // Some ranks never send.
    if (op === "SEND" && rank % 3 === 0) continue;
    const seconds = random.unit() * (rank === 17 ? 30 : 3);
    all += seconds;
    Object.assign(values, {
      [`MPI_${op}_CALL_COUNT`]: 1 + Math.floor(random.unit() * 1e6),
      [`MPI_${op}_TOTAL_TIME`]: seconds,
      [`MPI_${op}_MAX_TIME`]: seconds / 2,
    });
    if (!/WAITALL|BARRIER/.test(op)) values[`MPI_${op}_TOTAL_BYTES`] = Math.floor(random.unit() * 2 ** 40);
    if (/BARRIER|ALLREDUCE/.test(op)) sync += values[`MPI_${op}_TOTAL_SYNC_TIME`] = random.unit();
  }
  Object.assign(values, { MPI_TOTAL_COMM_TIME: all, MPI_TOTAL_COMM_SYNC_TIME: sync });
  const node = new TextEncoder().encode(`nid${rank >> 4}`);
  return counterRecord(apmpi, { id: recordId("APMPI"), rank }, values, { node });
}

function routerRecord(index: number, random: Random): DarshanRecord {
  const values: Record<string, number> = {
    ...{ APXC_GROUP: index >> 5, APXC_CHASSIS: (index >> 4) & 1, APXC_BLADE: index & 15, APXC_NODE: 1 },
  };
  for (const { name } of apxc.integers.slice(4)) values[name] = Math.floor(random.unit() * 2 ** 36);
  return counterRecord(apxc, { id: recordId("APXC"), rank: index }, values);
}

function save(name: string, { mpi = true, sync = 1, routers = ROUTERS } = {}): string {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders });
  const times = { startSeconds: 1_700_000_000, endSeconds: 1_700_000_060 };
  writer.job({ uid: 1, ...times, nprocs: RANKS, jobId: 5, metadata: [], commandLine: "/apps/a", mounts: [] });
  writer.names([{ id: recordId("/scratch/a"), name: "/scratch/a" }]);
  const written = { POSIX_OPENS: 1, POSIX_WRITES: 1, POSIX_BYTES_WRITTEN: 9, POSIX_F_WRITE_TIME: 1 };
  writer.module(posix, [counterRecord(posix, { id: recordId("/scratch/a"), rank: 0 }, written)]);
  const random = new Random(7);
  if (routers > 0)
    writer.module(apxc, [
      header("apxc", [0x4155544f50455246n, 16n, 8n, 4n, 4n, 2n, 99n]),
      ...Array.from({ length: routers }, (_, index) => routerRecord(index, random)),
    ]);
  if (mpi)
    writer.module(apmpi, [
      header("apmpi", [0x41504d5049n], sync),
      ...Array.from({ length: RANKS }, (_, rank) => mpiRecord(rank, random)),
    ]);
  writer.finish();
  const path = join(folder, name);
  writeFileSync(path, sink.bytes());
  return path;
}

/** Lines of a module as text: record, counter, value. A record begins where its first counter stands. */
async function linesOf(path: string, module: string, first: string) {
  const { out } = await inside("darshan", "parse", path);
  let record = -1;
  return out
    .split("\n")
    .filter((line) => line.startsWith(`${module}\t`))
    .flatMap((line) => {
      const [, rank = "", , name = "", value = ""] = line.split("\t");
      if (name === first) record++;
      return record < 0 ? [] : [{ record, rank: Number(rank), name, value }];
    });
}

async function reportOf(...paths: string[]) {
  const { code, out, err } = await inside("report", "--json", ...paths);
  expect(err).toBe("");
  expect(code).toBe(0);
  return JSON.parse(out);
}

async function expectMpi(path: string): Promise<void> {
  const { mpi, job } = await reportOf(path);
  const lines = await linesOf(path, "APMPI", "MPI_PROCESSOR_NAME");
  const grouped = new Map<string, typeof lines>();
  for (const line of lines) {
    const group = grouped.get(line.name);
    if (group === undefined) grouped.set(line.name, [line]);
    else group.push(line);
  }
  const valuesOf = (name: string) => grouped.get(name) ?? [];
  const sum = (name: string) => valuesOf(name).reduce((total, { value }) => total + Number(value), 0);
  const exact = (name: string) => valuesOf(name).reduce((total, { value }) => total + BigInt(value), 0n);
  const near = (actual: number, expected: number) =>
    expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-6 * mpi.ranks + 1e-9 * Math.abs(expected));

  const totals = valuesOf("MPI_TOTAL_COMM_TIME");
  expect(mpi.ranks).toBe(totals.length);
  near(mpi.seconds, sum("MPI_TOTAL_COMM_TIME"));
  expect(mpi.share).toBeCloseTo(sum("MPI_TOTAL_COMM_TIME") / totals.length / job.runSeconds, 5);
  const most = totals.reduce((a, b) => (Number(b.value) > Number(a.value) ? b : a));
  const least = totals.reduce((a, b) => (Number(b.value) < Number(a.value) ? b : a));
  expect([mpi.slowest.rank, mpi.fastest.rank]).toEqual([most.rank, least.rank]);
  expect(mpi.slowest.node).toBe(valuesOf("MPI_PROCESSOR_NAME").find(({ rank }) => rank === most.rank)?.value);
  expect(mpi.spread).toBeCloseTo((Number(most.value) * totals.length) / sum("MPI_TOTAL_COMM_TIME"), 3);
  const syncs = valuesOf("MPI_TOTAL_COMM_SYNC_TIME");
  if (syncs.length === 0) expect(mpi.syncSeconds).toBeNull();
  else near(mpi.syncSeconds, sum("MPI_TOTAL_COMM_SYNC_TIME"));

  const called = [...grouped.keys()]
    .filter((name) => name.endsWith("_CALL_COUNT") && exact(name) > 0n)
    .map((name) => name.slice(0, -"_CALL_COUNT".length));
  const byName = new Map<string, (typeof mpi.operations)[number]>(
    mpi.operations.map((one: { name: string }) => [one.name, one]),
  );
  expect([...byName.keys()].sort()).toEqual(called.sort());
  for (const op of called) {
    const own = byName.get(op);
    expect(BigInt(own.calls), op).toBe(exact(`${op}_CALL_COUNT`));
    expect(BigInt(own.bytes), op).toBe(exact(`${op}_TOTAL_BYTES`));
    expect(own.ranks).toBe(valuesOf(`${op}_CALL_COUNT`).filter(({ value }) => value !== "0").length);
    near(own.seconds, sum(`${op}_TOTAL_TIME`));
    const times = valuesOf(`${op}_TOTAL_TIME`).map(({ value }) => Number(value));
    near(own.slowestSeconds, Math.max(...times));
    near(own.longestSeconds, Math.max(...valuesOf(`${op}_MAX_TIME`).map(({ value }) => Number(value))));
    const waits = valuesOf(`${op}_TOTAL_SYNC_TIME`);
    if (waits.length === 0) expect(own.syncSeconds).toBeNull();
    else near(own.syncSeconds, sum(`${op}_TOTAL_SYNC_TIME`));
  }
  const order = mpi.operations.map(({ seconds }: { seconds: number }) => seconds);
  expect(order).toEqual([...order].sort((a: number, b: number) => b - a));
}

async function expectNetwork(path: string): Promise<void> {
  const { network } = await reportOf(path);
  const lines = (await linesOf(path, "APXC", "APXC_GROUP")).filter(({ name }) => /_RTR_/.test(name));
  const routers = new Set(lines.map(({ record }) => record)).size;
  expect(network.routers).toBe(routers);
  for (const one of network.counters) {
    const pattern = new RegExp(
      `_RTR_${one.tiles === "processor" ? "PT_5" : "[0-4]"}_._INQ_PRF_${
        one.kind === "flits"
          ? `INCOMING_FLIT_${one.channel}`
          : `${one.channel && `${one.channel}_`}ROWBUS_STALL_CNT`
      }$`,
    );
    const own = lines.filter(({ name }) => pattern.test(name));
    const perRouter = new Map<number, number>();
    for (const { record, value } of own) perRouter.set(record, (perRouter.get(record) ?? 0) + Number(value));
    const sum = own.reduce((total, { value }) => total + BigInt(value), 0n);
    expect(BigInt(one.sum)).toBe(sum);
    expect(one.largest).toBe(Math.max(...perRouter.values()));
    if (sum > 0n) expect(one.spread).toBeCloseTo((one.largest * routers) / Number(sum), 9);
  }
  // Eight channels and stalls between routers; two channels and two kinds of stalls to the nodes.
  expect(network.counters).toHaveLength(13);
  expect(network.tiles).toHaveLength(48);
  const all = (kind: string) =>
    lines.filter(({ name }) => name.includes(kind)).reduce((total, { value }) => total + BigInt(value), 0n);
  const tiles = (key: "flits" | "stalls") =>
    network.tiles.reduce((total: bigint, tile: Record<string, number>) => total + BigInt(tile[key] ?? 0), 0n);
  expect([tiles("flits"), tiles("stalls")]).toEqual([all("FLIT"), all("STALL")]);
}

describe("a log with AutoPerf", () => {
  it("has its MPI calls summed over many ranks, as the text adds up", async () => {
    const path = save("sync.darshan");
    await expectMpi(path);
    const { mpi } = await reportOf(path);
    expect(mpi.slowest.rank).toBe(17);
    expect(mpi.perRank).toHaveLength(20);
  });

  it("says that sync time was not measured", async () => {
    const path = save("no-sync.darshan", { sync: 0 });
    await expectMpi(path);
    const page = join(folder, "no-sync.html");
    expect((await inside("report", path, "--output", page)).code).toBe(0);
    const html = readFileSync(page, "utf8");
    for (const words of ["MPI_Allreduce", "MPI share of the run", "not measured", "Network (Cray XC)"])
      expect(html).toContain(words);
  });

  it("has its router counters as sums and spread", async () => {
    const path = save("routers.darshan");
    await expectNetwork(path);
    const { network } = await reportOf(path);
    expect(network).toMatchObject({ routers: ROUTERS, groups: 4, chassis: 8, blades: ROUTERS });
    expect(network).toMatchObject({ memoryModes: ["cache"], clusterModes: ["quad"] });
    expect(network.perRouter).toHaveLength(50);
  });

  it.each([1, 0])("can be read back from its text (sync flag %i)", async (sync) => {
    const path = save(`text-${sync}.darshan`, { sync });
    const text = join(folder, `text-${sync}.txt`);
    writeFileSync(text, (await inside("darshan", "parse", path)).out, "latin1");
    const [whole, back] = [await reportOf(path), await reportOf(text)];
    expect(back.network).toEqual(whole.network);
    expect(back.mpi).toMatchObject({ ranks: RANKS, syncSeconds: sync === 0 ? null : expect.any(Number) });
    // The text has six digits behind the point.
    expect(back.mpi.seconds).toBeCloseTo(whole.mpi.seconds, 3);
    for (const key of ["name", "calls", "bytes", "ranks"])
      expect(back.mpi.operations.map((one: Record<string, unknown>) => one[key])).toEqual(
        whole.mpi.operations.map((one: Record<string, unknown>) => one[key]),
      );
    expect(back.mpi.slowest).toMatchObject({ rank: whole.mpi.slowest.rank, node: whole.mpi.slowest.node });
  });

  it("has neither section without the modules", async () => {
    const { mpi, network } = await reportOf(save("plain.darshan", { mpi: false, routers: 0 }));
    expect([mpi, network]).toEqual([null, null]);
    const page = join(folder, "plain.html");
    await inside("report", join(folder, "plain.darshan"), "--output", page);
    expect(readFileSync(page, "utf8")).not.toMatch(/id="(mpi|network)"/);
  });
});

describeWithPublicData("published logs with AutoPerf", () => {
  const withModule = (module: string) =>
    publicLogTable()
      .filter((row) => row["modules(name:version,*=partial)"]?.includes(`${module}:`))
      .map(({ log = "" }) => publicLogs.find(({ file }) => file === log.slice(log.lastIndexOf("/") + 1)))
      .filter((log) => log !== undefined);

  it("have the same MPI calls in the report as in the text", async () => {
    const logs = withModule("APMPI");
    expect(logs.length).toBeGreaterThanOrEqual(5);
    for (const { path } of logs) await expectMpi(path);
  });

  it("have the same router counters", async () => {
    const logs = withModule("APXC");
    expect(logs.length).toBeGreaterThanOrEqual(1);
    for (const { path } of logs) await expectNetwork(path);
  });
});
