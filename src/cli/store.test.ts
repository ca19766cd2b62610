import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { STORE_SCHEMA, storedRuns, storedSources } from "../model/store-schema.ts";
import { Store } from "../store/index.ts";
import type { Command, CommandEntry } from "./command.ts";
import { runCli } from "./run.ts";
import sql from "./sql.ts";
import check from "./store/check.ts";
import compact from "./store/compact.ts";
import exportCommand from "./store/export.ts";
import schema from "./store/schema.ts";
import { fakeWorld, type WorldOptions } from "./test-kit.ts";

const table: CommandEntry[] = [sql, check, compact, exportCommand, schema].map((command: Command) => ({
  name: command.name,
  summary: "",
  load: async () => ({ default: command }),
}));

async function plimsoll(words: readonly string[], world: WorldOptions = {}) {
  const io = fakeWorld(world);
  const code = await runCli(words, table, io);
  return { code, out: io.out, err: io.err };
}

const root = mkdtempSync(join(tmpdir(), "plimsoll-cli-store-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const shared = join(root, "shared");
const BIG = 2n ** 64n - 2n;

async function makeStore(path: string): Promise<void> {
  const store = await Store.create(path);
  for (const runs of [
    [1n, BIG],
    [BIG, 3n],
  ]) {
    const batch = store.beginBatch();
    await batch.append(storedRuns, 2, {
      synthetic: { all: 0 },
      run_id: runs,
      application_id: { all: 9n },
      application: runs.map((id) => (id === 3n ? null : 'say "hi", you')),
      source: { all: "" },
      ranks: runs.map((id) => (id === 3n ? null : 4)),
      run_seconds: { all: 0.25 },
    });
    await batch.commit();
  }
  await store.close();
}
beforeAll(() => makeStore(shared));

describe("plimsoll sql", () => {
  const ask = (statement: string, ...more: string[]) => ["sql", "--store", shared, statement, ...more];
  const query = "select run_id, application as app, ranks, run_seconds from runs order by run_id desc";

  it("prints CSV, exactly, NULL as an empty field", async () => {
    expect(await plimsoll(ask(query))).toEqual({
      code: 0,
      out: `run_id,app,ranks,run_seconds\n${BIG},"say ""hi"", you",4,0.25\n3,,,0.25\n1,"say ""hi"", you",4,0.25\n`,
      err: "",
    });
    expect((await plimsoll(ask("select source from runs limit 1"))).out).toBe('source\n""\n');
  });

  it("prints CSV that a spreadsheet takes as data: no formulas, and no noise of doubles", async () => {
    const values = `'=1+1' as a, '-5' as b, '@x' as c, 16777215.999999998::double as d, -2.5::double as "=e"`;
    expect((await plimsoll(ask(`select ${values}`))).out).toBe("a,b,c,d,'=e\n'=1+1,-5,'@x,16777216,-2.5\n");
  });

  it("bounds the memory of the process, whatever a function makes", async () => {
    const limit = () => /^Max data size.*$/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[0];
    const before = limit();
    // None of these texts and lists counts for DuckDB's own limit.
    for (const statement of [
      "select length(repeat('x', 4000000000))",
      "select count(*) from (select unnest(range(1000000000)))",
    ]) {
      const peakBefore = process.resourceUsage().maxRSS;
      const { code, out, err } = await plimsoll(ask(statement, "--memory", "128MiB"));
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/^plimsoll: [^\n]* the query needs more than 128 MiB of memory; raise --memory\n$/);
      expect(process.resourceUsage().maxRSS - peakBefore).toBeLessThan(2 * 2 ** 20);
    }
    // The bound goes with the statement.
    expect(limit()).toBe(before);
  });

  it("prints a table on a terminal", async () => {
    const { out } = await plimsoll(ask(query), { terminal: true, env: { NO_COLOR: "1" } });
    expect(out.split("\n")).toEqual([
      "              run_id  app            ranks  run_seconds",
      "--------------------  -------------  -----  -----------",
      '18446744073709551614  say "hi", you      4         0.25',
      "                   3  NULL            NULL         0.25",
      '                   1  say "hi", you      4         0.25',
      "(3 rows)",
      "",
    ]);
    const plan = await plimsoll(ask("explain select 1"), { terminal: true });
    expect(plan.out).toContain("┌");
    const odd = await plimsoll(ask(`select 'a' || chr(27) || chr(10) as "x", repeat('long', 100) as y`), {
      terminal: true,
    });
    expect(odd.out).toContain("a\\x1b\\x0a  ");
    expect(odd.out).toContain("lon…");
  });

  it("prints JSON with integers beyond 2^53 as strings", async () => {
    const { out } = await plimsoll(["--json", ...ask(query)]);
    expect(JSON.parse(out)).toEqual([
      { run_id: String(BIG), app: 'say "hi", you', ranks: 4, run_seconds: 0.25 },
      { run_id: 3, app: null, ranks: null, run_seconds: 0.25 },
      { run_id: 1, app: 'say "hi", you', ranks: 4, run_seconds: 0.25 },
    ]);
    expect((await plimsoll(ask("select 1 as one where false", "--json"))).out).toBe("[]\n");
    expect(
      JSON.parse((await plimsoll(ask("select sum(run_id) as s, 1.5 as d from runs", "--json"))).out),
    ).toEqual([{ s: String(BIG + 4n), d: 1.5 }]);
  });

  it("stops after --max-rows and says so", async () => {
    const { code, out, err } = await plimsoll(ask("from range(5000)", "--max-rows", "3"));
    expect([code, out]).toEqual([0, "range\n0\n1\n2\n"]);
    expect(err).toBe("plimsoll: stopped after 3 rows; there are more (--max-rows 0 for all)\n");
    expect((await plimsoll(ask("from range(3)", "--max-rows", "3"))).err).toBe("");
    expect((await plimsoll(ask("from range(5000)"))).out.split("\n").length).toBe(5002);
  });

  it("refuses in one line what is wrong", async () => {
    const failures: [string[], string][] = [
      [ask("selec 1"), 'SQL line 1, column 1: syntax error at or near "selec"; see plimsoll sql --help'],
      [ask("drop view runs"), "SQL: drop is not allowed: stores are read-only"],
      [ask("select 1; select 2"), "SQL: one statement at a time, found 2"],
      [ask(""), "SQL: the statement is empty"],
      [["sql", "select 1"], "--store is missing: name a store folder"],
      [
        ["sql", "--store", join(root, "none"), "select 1"],
        "none is not a store: no such folder; plimsoll ingest creates one",
      ],
      [ask("select * from read_csv('/etc/passwd')"), "file system operations are disabled"],
    ];
    for (const [words, line] of failures) {
      const { code, out, err } = await plimsoll(words);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain(line);
      expect(err.split("\n").length).toBe(2);
    }
    const memory = await plimsoll(
      ask("select list(range) from range(30000000)", "--memory", "40M", "--threads", "1"),
    );
    expect(memory).toMatchObject({
      code: 1,
      err: expect.stringMatching(/needs more than 40 MiB of memory; raise --memory\n$/),
    });
  });
});

describe("plimsoll store", () => {
  let path: string;
  let number = 0;
  beforeEach(async () => {
    path = join(root, `${++number}`);
    await makeStore(path);
  });

  it("check tells what is there and what is wrong", async () => {
    const good = await plimsoll(["store", "check", "--deep", path]);
    expect(good).toMatchObject({ code: 0, err: "" });
    expect(good.out).toContain("runs                       4 rows");
    expect(good.out).toContain("1 runs were stored twice; queries see them once");
    expect(good.out).toContain("no damage found");
    const [segment] = readdirSync(join(path, "segments/runs"));
    truncateSync(join(path, "segments/runs", segment as string), 9);
    writeFileSync(join(path, "notes"), "");
    mkdirSync(join(path, "tmp/20200101T000000000-000001-0000000"));
    const bad = await plimsoll(["store", "check", "--grace", "0", "--remove-leftovers", path]);
    expect(bad.code).toBe(1);
    expect(bad.out).toContain(`damaged: segments/runs/${segment}: 9 bytes, the manifest says`);
    expect(bad.out).toContain(
      "leftover: tmp/20200101T000000000-000001-0000000 (0 B, 0 minutes old; kept, since the store is damaged)",
    );
    expect(bad.out).toContain("foreign: notes (left alone)");
    expect(bad.err).toBe(
      `plimsoll: ${path}: 1 of its parts are damaged or missing; plimsoll store repair lists the losses\n`,
    );
    const json = await plimsoll(["store", "check", "--json", path]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, batches: 2, problems: [{}], foreign: ["notes"] });
    expect(await plimsoll(["store", "check", root])).toMatchObject({ code: 2 });
  });

  it("check removes leftovers only when it is told to", async () => {
    mkdirSync(join(path, "tmp/20200101T000000000-000001-0000000"));
    const named = await plimsoll(["store", "check", "--grace", "0", path]);
    expect(named).toMatchObject({ code: 0, err: "" });
    expect(named.out).toContain("leftover: tmp/20200101T000000000-000001-0000000 (0 B, 0 minutes old)");
    const removed = await plimsoll(["store", "check", "--grace", "0", "--remove-leftovers", path]);
    expect(removed.out).toContain("removed: tmp/20200101T000000000-000001-0000000");
    expect(readdirSync(join(path, "tmp"))).toEqual([]);
  });

  it("of which the manifest is gone is refused by every command, and nothing is removed", async () => {
    rmSync(join(path, "manifest"), { recursive: true });
    for (const words of [
      ["sql", "--store", path, "select 1"],
      ["store", "compact", path],
      ["store", "export", path, "--table", "runs", "-o", join(root, "lost.csv")],
      ["store", "check", "--grace", "0", "--remove-leftovers", path],
    ]) {
      const { code, out, err } = await plimsoll(words);
      expect(code, words.join(" ")).toBe(1);
      expect(`${out}${err}`).toContain("the folder manifest is missing, though there are 2 segments");
    }
    expect(readdirSync(join(path, "segments/runs")).length).toBe(2);
  });

  it("compact joins batches", async () => {
    const { code, out } = await plimsoll(["store", "compact", path]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^2 batches became one: .* became .*, 1 runs that were there twice are there once\n$/,
    );
    const again = await plimsoll(["store", "compact", "--grace", "0", "--json", path]);
    expect(JSON.parse(again.out)).toMatchObject({ batch: null, replaced: 0, removedBatches: 2, batches: 1 });
    await makeStore(`${path}-at-once`);
    const atOnce = await plimsoll(["store", "compact", "--grace", "0", "--json", `${path}-at-once`]);
    expect(JSON.parse(atOnce.out)).toMatchObject({ replaced: 2, removedBatches: 2, batches: 1 });
  });

  it("export writes CSV without formulas", async () => {
    const store = await Store.create(join(root, "formulas"));
    const batch = store.beginBatch();
    await batch.append(storedRuns, 4, {
      synthetic: { all: 0 },
      run_id: [1n, 2n, 3n, 4n],
      application_id: { all: 9n },
      application: ["=cmd()", "-5", "+x", "plain"],
      source: { all: "" },
    });
    await batch.commit();
    await store.close();
    const csv = join(root, "formulas.csv");
    await plimsoll(["store", "export", join(root, "formulas"), "--table", "runs", "-o", csv]);
    const text = readFileSync(csv, "utf8");
    for (const cell of [",'=cmd(),", ",-5,", ",'+x,", ",plain,"]) expect(text).toContain(cell);
    expect(text).not.toMatch(/,[=+]/);
  });

  it.each([
    [[0, 0], undefined],
    [[1, 1], "synthetic"],
    [[0, 1], "partly synthetic"],
  ])("export and sql say of %j that rows are %s", async (synthetic, said) => {
    const folder = join(root, `origin-${synthetic.join("")}`);
    const store = await Store.create(folder);
    const batch = store.beginBatch();
    await batch.append(storedRuns, 2, {
      ...{ synthetic, run_id: [1n, 2n], application_id: { all: 9n }, source: { all: "" } },
    });
    await batch.append(storedSources, 2, {
      hash_high: [1n, 2n],
      hash_low: [1n, 2n],
      path: { all: "/logs/a" },
    });
    await batch.commit();
    await store.close();
    for (const format of ["csv", "ndjson"]) {
      const file = join(root, `origin-${synthetic.join("")}.${format}`);
      await plimsoll(["store", "export", folder, "--table", "sources", "-o", file]);
      const lines = readFileSync(file, "utf8").trimEnd().split("\n");
      expect(lines.filter((line) => line.includes("origin")).length).toBe(
        said === undefined ? 0 : format === "csv" ? 1 : 2,
      );
      if (said !== undefined) expect(lines.at(-1)).toMatch(new RegExp(`[,"]${said}"?}?$`));
    }
    const asked = await plimsoll(["sql", "--store", folder, "select count(*) as n from sources"]);
    expect(asked.out).toBe("n\n2\n");
    expect(asked.err).toBe(
      said === undefined
        ? ""
        : `plimsoll: data of this store: ${said === "synthetic" ? "" : "1 of 2 runs are "}synthetic: generated, not recorded on a machine\n`,
    );
  });

  it("export writes a table whole, in three formats", async () => {
    const csv = join(root, "runs.csv");
    const done = await plimsoll(["store", "export", path, "--table", "runs", "-o", csv]);
    expect(done).toEqual({ code: 0, out: "", err: `plimsoll: wrote 3 rows of runs to ${csv}\n` });
    const lines = readFileSync(csv, "utf8").trimEnd().split("\n");
    expect(lines.length).toBe(4);
    expect(lines[0]).toMatch(/^run_id,source,job_id/);
    expect(lines.join("\n")).toContain(`${BIG},`);

    const ndjson = join(root, "runs.ndjson");
    const lined = await plimsoll(["store", "export", "--json", path, "--table", "runs", "-o", ndjson]);
    expect(JSON.parse(lined.out)).toEqual({ table: "runs", path: ndjson, format: "ndjson", rows: 3 });
    const rows = readFileSync(ndjson, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map(({ run_id }) => run_id).sort()).toEqual([1, String(BIG), 3]);
    expect(rows[0]).toMatchObject({ job_id: null, run_seconds: 0.25 });

    const parquet = join(root, "runs.parquet");
    await plimsoll(["store", "export", path, "--table", "runs", "-o", parquet]);
    expect(readFileSync(parquet).subarray(0, 4).toString()).toBe("PAR1");
    const empty = await plimsoll([
      "store",
      "export",
      path,
      "--table",
      "files",
      "-o",
      join(root, "files.parquet"),
    ]);
    expect(empty.err).toContain("wrote 0 rows of files");

    for (const [words, line] of [
      [
        ["--table", "walks", "-o", csv],
        "--table walks: not one of runs, accesses, files, sources, jobs, minutes, targets, readings",
      ],
      [["-o", csv], "--table is missing"],
      [["--table", "runs"], "--output is missing"],
      [["--table", "runs", "-o", "runs.xls"], "ends in .parquet, .csv or .ndjson"],
      [["--table", "runs", "-o", join(root, "no/such/runs.csv")], "no such folder"],
    ] as const) {
      const failed = await plimsoll(["store", "export", path, ...words]);
      expect(failed.code).toBeGreaterThan(0);
      expect(failed.err).toContain(line);
    }
    expect(readdirSync(root).filter((name) => name.includes(".part-"))).toEqual([]);
  });

  it("schema prints the tables", async () => {
    const { out } = await plimsoll(["store", "schema"]);
    expect(out).toMatch(/^runs: one execution of a program\n {2}run_id +u64 +identity of the run\n/);
    expect(out).toContain("accesses: one file in one run, all ranks together\n");
    expect((await plimsoll(["store", "schema", "sources"])).out).not.toContain("accesses");
    const { tables } = JSON.parse((await plimsoll(["store", "schema", "--json"])).out);
    expect(tables.length).toBe(STORE_SCHEMA.length);
    expect(tables[3].columns[0]).toMatchObject({ name: storedSources.columns[0]?.name, type: "u64" });
    expect(await plimsoll(["store", "schema", "runz"])).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "unknown table: runz (have: runs, accesses, files, sources, jobs, minutes, targets, readings, target_states, servers, exports, job_mounts, job_hours, job_days, target_hours, target_days) (did you mean runs?)",
      ),
    });
  });
});
