/** Jobs from traces of single calls: counters against those that Darshan kept of the same calls, and every kind of trace. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CallSurvey } from "../../src/analyze/job/index.ts";
import { bytesSource } from "../../src/base/source.ts";
import { darshan } from "../../src/formats/darshan/format.ts";
import { importLog } from "../../src/formats/darshan/import.ts";
import { DarshanLog } from "../../src/formats/darshan/log.ts";
import { readJob } from "../../src/inputs/node.ts";
import { TablesBuilder } from "../../src/model/index.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const fixture = (name: string) => join(root, "test", "fixtures", name);
const program = join(root, "bin", "plimsoll");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-traces-"));
  expect(spawnSync(process.execPath, [program, "--version"]).status).toBe(0);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function plimsoll(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    ...{ cwd: folder, encoding: "utf8", maxBuffer: 2 ** 26 },
  });
  return { code: status, out: stdout, err: stderr };
}

describe("counters from calls", () => {
  /** What both know: Darshan counts every call, and DXT holds every read and write of these logs. */
  const SAME = [
    ...["reads", "writes", "bytes_read", "bytes_written", "max_byte_read", "max_byte_written"],
    ...["consecutive_reads", "consecutive_writes", "sequential_reads", "sequential_writes", "ranks"],
    ...[
      "size_read_1m_4m",
      "size_write_1m_4m",
      "size_write_10m_100m",
      "size_read_10m_100m",
      "size_write_100_1k",
    ],
    ...["access1_bytes", "access1_count"],
  ];

  it.each(["mpiio4_dxt.darshan", "files1000_dxt.darshan"])("of %s are those of its records", (name) => {
    const bytes = readFileSync(fixture(join("darshan", name)));
    const kept = new TablesBuilder();
    importLog(new DarshanLog(bytesSource(bytes, name), { codecs: nodeCodecs }), kept, name);
    const survey = new CallSurvey();
    darshan.calls(bytesSource(bytes, name), survey.sink(), { codecs: nodeCodecs });
    const counted = new TablesBuilder();
    survey.finish({ runId: name, source: name, kind: "darshan", recorder: "" }, counted);
    const rows = (tables: TablesBuilder) => {
      const table = tables.finish().get("layers")!;
      return new Map(
        Array.from({ length: table.rows }, (_, row) => row)
          .filter((row) => table.value("layer", row) === "POSIX" && Number(table.value("writes", row)) > 0)
          .map((row) => [
            table.value("path", row),
            Object.fromEntries(SAME.map((column) => [column, table.value(column, row)])),
          ]),
      );
    };
    const expected = rows(kept);
    expect(expected.size).toBeGreaterThan(0);
    expect(rows(counted)).toEqual(expected);
  });
});

describe("report, findings and diff", () => {
  const small = () => {
    const lines = ["pid,bytes,start,end,file,op,offset"];
    for (let pid = 1; pid <= 2; pid++)
      for (let i = 0; i < 2000; i++)
        lines.push(`${pid},1000,${i * 0.001},${i * 0.001 + 0.0009},/scratch/out.${pid},write,${i * 1000}`);
    const path = join(folder, "small.csv");
    writeFileSync(path, `${lines.join("\n")}\n`);
    return path;
  };

  it("judge a table of accesses: processes are ranks, the cause is found", async () => {
    const { job, verdicts } = await readJob([small()]);
    expect(job.ranks).toBe(2);
    expect(job.io).toMatchObject({ bytesWritten: 4_000_000, bytesRead: 0 });
    expect(job.files.map(({ path }) => path)).toEqual(["/scratch/out.1", "/scratch/out.2"]);
    expect(verdicts.findings.map(({ id }) => id)).toContain("small-writes");
    expect(job.trace?.layers[0]).toMatchObject({
      layer: "POSIX",
      write: { calls: 4000, consecutiveCalls: 3998 },
    });
  });

  it("refuse a table without one sound call", async () => {
    const path = join(folder, "unsound.csv");
    writeFileSync(path, "pid,bytes,start,end\n1,-5,0,1\n1,4,3,2\n1,NaN,1,2\n");
    await expect(readJob([path])).rejects.toThrow("no I/O calls found: 3 calls without sound times or sizes");
  });

  it("name what a folder has beside its inputs", () => {
    const mixed = join(folder, "mixed");
    mkdirSync(join(mixed, "deeper"), { recursive: true });
    const calls = "pid,bytes,start,end\n1,4,0,1\n";
    writeFileSync(join(mixed, "calls.csv"), calls);
    writeFileSync(join(mixed, "deeper", "more.csv"), calls);
    writeFileSync(
      join(mixed, "sacct.txt"),
      "JobID|User|Start|End\n7|u|2026-01-01T00:00:00|2026-01-01T00:01:00\n",
    );
    const { code, err } = plimsoll("report", mixed);
    expect(code).toBe(0);
    expect(err).toContain(`not read: ${join(mixed, "sacct.txt")}: this is a Slurm job list`);
    expect(err).toContain(`inputs in folders below ${mixed}, such as deeper/more.csv`);
  });

  it("know that the end of a cut trace is missing", async () => {
    const path = join(folder, "cut.strace");
    const call = (at: number) => `7 ${at}.000000 write(3</d/a>, "", 512) = 512 <0.500000>`;
    const lines = [1, 2, 3].map((at) => call(1_712_345_678 + at)).join("\n");
    writeFileSync(path, `${lines}\n7 17123456`);
    expect((await readJob([path])).job.isIncomplete).toBe(true);
    writeFileSync(path, `${lines}\n`);
    expect((await readJob([path])).job.isIncomplete).toBe(false);
  });

  it("find in strace text what is moved twice, from positions that nothing states", async () => {
    const text = (name: string, calls: readonly string[]) => {
      const path = join(folder, name);
      const lines = calls.map((call, at) => `7 ${(1_712_345_678 + at * 0.1).toFixed(6)} ${call} <0.090000>`);
      writeFileSync(path, `${lines.join("\n")}\n`);
      return path;
    };
    const MIB = 1 << 20;
    const eight = (way: string) => Array(8).fill(`${way}(3</d/a>, ""..., ${MIB}) = ${MIB}`) as string[];
    const passes = Array.from({ length: 4 }, () => ["lseek(3</d/a>, 0, SEEK_SET) = 0", ...eight("read")]);
    const again = text("again.strace", ['open("/d/a", O_RDONLY) = 3</d/a>', ...passes.flat()]);
    expect((await readJob([again])).verdicts.findings[0]).toMatchObject({
      id: "re-reads",
      statement: expect.stringContaining("only 8.39 MB of them are distinct within a rank"),
    });
    const back = text("back.strace", [
      'open("/d/a", O_RDWR|O_CREAT|O_TRUNC) = 3</d/a>',
      ...eight("write"),
      "lseek(3</d/a>, 0, SEEK_SET) = 0",
      ...eight("read"),
    ]);
    expect((await readJob([back])).verdicts.findings[0]?.id).toBe("read-after-write");
    // The same reads without the seeks are one pass over the file, and nothing is wrong with that.
    const once = text("once.strace", [
      'open("/d/a", O_RDONLY) = 3</d/a>',
      ...passes.flatMap((one) => one.slice(1)),
    ]);
    expect((await readJob([once])).verdicts.findings).toEqual([]);
  });

  it("do not take a number that is no rank for one", async () => {
    const path = join(folder, "ranks.csv");
    writeFileSync(
      path,
      "pid,rank,bytes,start,end,file\n7,1e300,10,0,1,/a\n8,-3,10,0,1,/a\n9,0.5,10,0,1,/a\n",
    );
    const { job } = await readJob([path]);
    expect(job.ranks).toBe(3);
    expect(job.facts.has("ranks")).toBe(false);
  });

  it.each([
    ["strace", fixture("accesses/named.strace")],
    ["fio", fixture("accesses/plain_lat.1.log")],
    ["csv", fixture("accesses/paper.csv")],
  ])("take %s, on a terminal, as JSON and as a page", (_, path) => {
    const report = plimsoll("report", path);
    expect({ code: report.code, err: report.err }).toEqual({ code: 0, err: "" });
    expect(report.out).toMatch(/^I\/O to blame\? .* of the run in I\/O\.$/m);
    expect(report.out).not.toMatch(/Darshan|1970|NaN|undefined/);
    const json = JSON.parse(plimsoll("findings", path, "--json").out);
    expect(json.metrics.bytesRead + json.metrics.bytesWritten).toBeGreaterThan(0);
    expect(plimsoll("report", path, "-o", "page.html").code).toBe(0);
    expect(readFileSync(join(folder, "page.html"), "utf8")).toContain("Timeline of calls");
    expect(plimsoll("diff", path, path).code).toBe(0);
  });

  it("take a folder of plimsoll record, and say what the recorder could not see", () => {
    const script =
      "dd if=/dev/zero of=a bs=4k count=64 2>/dev/null & dd if=/dev/zero of=b bs=1M count=4 2>/dev/null; wait";
    expect(plimsoll("record", "-o", "rec", "--", "sh", "-c", script).code).toBe(0);
    const { code, out } = plimsoll("findings", "rec", "--json");
    expect(code).toBe(0);
    const { job, metrics } = JSON.parse(out);
    expect(job).toMatchObject({ application: "dd", ranks: 2, modules: ["POSIX"] });
    expect(job.runSeconds).toBeGreaterThan(0);
    // What dd wrote; it reads /dev/zero, which is no file.
    expect(metrics).toMatchObject({ bytesWritten: 64 * 4096 + 4 * 2 ** 20 });
  });

  it("take text of darshan-dxt-parser without that of darshan-parser", async () => {
    const text = readFileSync(fixture("darshan-text/mpiio4.txt"), "utf8");
    const path = join(folder, "dxt.txt");
    writeFileSync(path, text.slice(text.lastIndexOf("# darshan log version")));
    const { job } = await readJob([path]);
    const whole = await readJob([fixture("darshan-text/mpiio4.txt")]);
    expect(job).toMatchObject({ ranks: 4, runSeconds: whole.job.runSeconds });
    expect(job.io).toMatchObject({ bytesRead: 67_108_864, bytesWritten: 67_108_864 });
    expect(job.layer("MPI-IO")[0]).toMatchObject({ reads: 4, writes: 4 });
  });

  it("find in an exported table what they find in its source", () => {
    const lines = ["pid,rank,bytes,start,end,file,op,offset,layer,failed,nested,collective"];
    for (let rank = 0; rank < 2; rank++)
      for (let i = 0; i < 400; i++) {
        const [start, offset] = [i / 64, 65_536 * (2 * i + rank)];
        const call = `${rank},${rank},65536,${start},${start + 1 / 128},/d/out,write,${offset}`;
        lines.push(`${call},MPI-IO,0,0,${i < 40 ? 0 : 1}`, `${call},POSIX,0,1,0`);
      }
    const path = join(folder, "layers.csv");
    writeFileSync(path, `${lines.join("\n")}\n`);
    const told = (name: string) => {
      const { inputs: _, ...bps } = JSON.parse(plimsoll("bps", name, "--json").out);
      const { findings, metrics } = JSON.parse(plimsoll("findings", name, "--json").out);
      return {
        bytes: bps.bytes,
        calls: bps.accesses,
        bps: bps.bps,
        moved: bps.movedBytes,
        findings,
        metrics,
      };
    };
    const source = told("layers.csv");
    expect(source).toMatchObject({ bytes: 800 * 65_536, moved: 800 * 65_536, calls: 800 });
    expect(source.findings.map(({ id }: { id: string }) => id)).not.toContain("independent-mpiio");
    for (const name of ["again.csv", "again.parquet"]) {
      expect(plimsoll("export", "layers.csv", "-o", name).code).toBe(0);
      expect(told(name)).toEqual(source);
    }
  });

  it("take a Parquet table", async () => {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const database = await DuckDBInstance.create(":memory:");
    const connection = await database.connect();
    await connection.run(
      `copy (select * from read_csv('${small()}')) to '${join(folder, "small.parquet")}' (format parquet)`,
    );
    connection.closeSync();
    const [table, parquet] = [await readJob([small()]), await readJob([join(folder, "small.parquet")])];
    expect(parquet.job.io).toEqual(table.job.io);
  });

  it("refuse what has neither calls nor counters, and say who takes it", () => {
    writeFileSync(join(folder, "jobs.txt"), "JobIDRaw|User|Start|End\n1|ada|0|1\n");
    expect(plimsoll("report", "jobs.txt")).toMatchObject({
      code: 1,
      err: "plimsoll: jobs.txt: this is a Slurm job list (sacct); use plimsoll ingest\n",
    });
    expect(plimsoll("report", small(), fixture("darshan/mpiio4_dxt.darshan"))).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /has counters and .*small\.csv has only single calls; pass logs or traces, not both/,
      ),
    });
    const none = join(folder, "none.csv");
    writeFileSync(none, "pid,bytes,start,end\n");
    expect(plimsoll("findings", none)).toMatchObject({
      code: 1,
      err: expect.stringContaining("no I/O calls found"),
    });
  });
});
