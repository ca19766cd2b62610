/** `plimsoll generate reuse`: the folder it leaves, and the folders it leaves alone. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Store } from "../../store/index.ts";
import type { CommandEntry } from "../command.ts";
import { runCli } from "../run.ts";
import { fakeWorld } from "../test-kit.ts";

const table: readonly CommandEntry[] = [
  { name: "generate reuse", summary: "a centre", load: () => import("./reuse.ts") },
];
const TINY = ["--scale", "0.0001", "--background", "0.0000002"];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-reuse-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function reuse(...words: string[]) {
  const io = fakeWorld();
  const code = await runCli(["generate", "reuse", ...words], table, io);
  return { code, out: io.out, err: io.err };
}
const at = (...parts: string[]) => join(folder, ...parts);
const files = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
const contents = (path: string) => files(path).map((file) => [file, readFileSync(file, "latin1")]);
const answers = (path: string) => JSON.parse(readFileSync(join(path, "answers.json"), "utf8"));

/** What a store holds, whatever the order of its rows. */
async function rowsOf(path: string) {
  const store = await Store.open(path);
  const session = await store.query();
  const tables = await Promise.all(
    ["runs", "accesses", "files"].map((table) => session.rows(`select * from ${table} order by all`)),
  );
  const segments = store.batches().flatMap((batch) => Object.values(batch.tables).flat());
  const buckets = segments.flatMap(({ bucket }) => (bucket ? [`${bucket.index}/${bucket.of}`] : []));
  const batches = store.batches().length;
  session.close();
  await store.close();
  return { batches, tables, buckets: [...new Set(buckets)].sort() };
}

describe("plimsoll generate reuse", () => {
  it("writes logs by day, the answers, and a note that nothing is real", async () => {
    const { code, out, err } = await reuse("--output", at("centre"), ...TINY);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(readdirSync(at("centre")).sort()).toEqual(["README.txt", "answers.json", "logs"]);
    const logs = files(at("centre", "logs"));
    const { items, scenario, seed, ids } = answers(at("centre"));
    expect({ scenario, seed }).toEqual({ scenario: "reuse", seed: 1 });
    expect(items.A01.planted.logs).toBe(logs.length);
    expect(ids.selectedFiles).toMatch(/^[0-9a-f]{64}$/);
    for (const log of logs)
      expect(log).toMatch(/\/logs\/201[78]\/\d+\/\d+\/user\d+_[a-z]+-\d+_id\d+_.*\.darshan$/);
    expect(readFileSync(at("centre", "README.txt"), "utf8")).toMatch(/synthetic/);
    expect(out).toContain("planted");
    expect(out).toMatch(/A08 +readMeanHours +47 +47 /);
    expect(out).toContain("too few files");
  });

  it("replaces what it made before with the same bytes, and nothing else", async () => {
    await reuse("--output", at("centre"), ...TINY);
    const first = contents(at("centre"));
    writeFileSync(at("centre", "stale"), "");
    expect(await reuse("--output", at("centre"), ...TINY)).toMatchObject({ code: 0, err: "" });
    expect(contents(at("centre"))).toEqual(first);
    mkdirSync(at("thesis"));
    writeFileSync(at("thesis", "README.txt"), "my thesis");
    const { code, err } = await reuse("--output", at("thesis"), ...TINY);
    expect(code).toBe(2);
    expect(err).toContain("exists and is not an earlier synthetic centre");
    expect(readdirSync(at("thesis"))).toEqual(["README.txt"]);
  });

  it("--tables makes a store with the runs and accesses that the answers count", async () => {
    const { code, out } = await reuse("--json", "--tables", "--output", at("centre"), ...TINY);
    expect(code).toBe(0);
    const { store: path } = JSON.parse(out);
    expect(existsSync(at("centre", "logs"))).toBe(false);
    const { items } = answers(at("centre"));
    const store = await Store.open(path);
    const session = await store.query();
    const [runs] = await session.rows("select count(*) as logs, count(distinct run_id) as ids from runs");
    const [accesses] = await session.rows(
      "select count(distinct file_id) as files, sum(bytes_read)::hugeint as read from accesses",
    );
    expect(Number(runs?.logs)).toBe(items.A01.planted.logs);
    expect(Number(runs?.ids)).toBe(items.A01.planted.logs);
    expect(Number(accesses?.files)).toBe(items.A01.planted.files);
    expect(Number(accesses?.read)).toBe(Number(items.A01.planted.bytesRead));
    session.close();
    await store.close();
  });

  it("slices in buckets become one batch with the rows and answers of one process, also when the join is repeated", async () => {
    const tables = ["--tables", "--scale", "0.001", "--background", "0.00001"];
    await reuse("--output", at("one"), ...tables);
    const slices = [...tables, "--buckets", "3", "--output", at("many")];
    for (const slice of ["1/2", "2/2"]) await reuse(...slices, "--slice", slice);
    // As a join that was killed leaves it: some segments have moved, and the entry is not there.
    cpSync(at("many"), at("again"), { recursive: true });
    expect(await reuse(...slices, "--join", "2")).toMatchObject({ code: 0, err: "" });
    const moved = files(at("many", "store", "segments", "accesses"))[0] as string;
    const store = await Store.openOrCreate(at("again", "store"));
    await store.close();
    const from = files(at("again", "parts", "1-of-2", "store", "segments", "accesses"))[0] as string;
    mkdirSync(at("again", "store", "segments", "accesses"), { recursive: true });
    renameSync(from, at("again", "store", "segments", "accesses", basename(moved)));
    const again = [...tables, "--buckets", "3", "--output", at("again"), "--join", "2"];
    expect(await reuse(...again)).toMatchObject({ code: 0, err: "" });
    const one = await rowsOf(at("one", "store"));
    expect(one.batches).toBe(1);
    for (const name of ["many", "again"]) {
      expect(await rowsOf(at(name, "store"))).toEqual({ ...one, buckets: ["1/3", "2/3", "3/3"] });
      expect(readFileSync(at(name, "answers.json"), "utf8")).toBe(
        readFileSync(at("one", "answers.json"), "utf8"),
      );
      expect(readdirSync(at(name)).sort()).toEqual(["README.txt", "answers.json", "store"]);
    }
    const first = await reuse(...again, "--json");
    // A join that is begun again behind its answers, when slices are gone.
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(first.out).census.logs).toBe(answers(at("one")).items.A01.planted.logs);
    expect((await reuse(...again)).out).toContain("too few files");
    expect(readFileSync(at("again", "answers.json"))).toEqual(readFileSync(at("one", "answers.json")));
    const wrong = await reuse("--output", at("logs"), ...TINY, "--buckets", "3");
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("--buckets needs --tables") });
  });

  it("--damage adds broken logs and what must become of them", async () => {
    await reuse("--damage", "--output", at("centre"), ...TINY);
    const expected = JSON.parse(readFileSync(at("centre", "damage", "expected.json"), "utf8"));
    const names = expected.files.map(({ name }: { name: string }) => name);
    expect(readdirSync(at("centre", "damage")).sort()).toEqual([...names, "expected.json"].sort());
    const huge = expected.files.find(({ name }: { name: string }) => name === "beyond-2-53.darshan");
    expect(huge.bytesRead).toBe("9007199254740993");
  });

  it("takes gaps by the literal reading and runs of several files, and says so in the answers", async () => {
    const modes = ["--inter-arrival", "literal", "--files-per-run", "4"];
    expect(await reuse("--output", at("centre"), ...TINY, ...modes)).toMatchObject({ code: 0, err: "" });
    expect(answers(at("centre")).options).toMatchObject({ interArrival: "literal", filesPerRun: 4 });
    expect(readFileSync(at("centre", "README.txt"), "utf8")).toContain("literal");
  });

  it("wrong usage is one line and leaves nothing", async () => {
    expect(await reuse()).toMatchObject({ code: 2, err: expect.stringContaining("--output is missing") });
    const many = await reuse("--output", at("centre"), "--background", "1");
    expect(many).toMatchObject({ code: 2, err: expect.stringContaining("add --tables") });
    expect((await reuse("--output", at("centre"), "--scale", "-1")).code).toBe(2);
    expect((await reuse("--output", at("centre"), "--files-per-run", "0")).code).toBe(2);
    const wrong = await reuse("--output", at("centre"), "--inter-arrival", "weekly");
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("literal") });
    expect(readdirSync(folder)).toEqual([]);
  });
});
