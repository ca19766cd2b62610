/**
 * Every command of the table on generated data: what it prints and writes says synthetic or simulated at once, and calls nothing
 * confirmed. A command that is new fails here until it has a line.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/cli/index.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-synthetic-"));
const at = (...names: string[]) => join(folder, ...names);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(words: readonly string[], codes: readonly number[] = [0]): Promise<string> {
  const world = fakeWorld();
  const code = await runCli([...words], commands, world);
  expect(codes, `${words.join(" ")}: ${world.err}`).toContain(code);
  return world.out;
}

const TRACED = at("single", "dxt-only.darshan");
const LOG = at("single", "small-writes.darshan");
const LOGS = at("logs.store");
let job = "";
let path = "";

beforeAll(async () => {
  await run(["generate", "single", "-o", at("single")]);
  await run([
    "generate",
    "reuse",
    "-o",
    at("centre"),
    "--scale",
    "0.002",
    "--background",
    "0.000001",
    "--tables",
  ]);
  await run(["generate", "sitewide", "-o", at("site"), "--scale", "0.001", "--tables"]);
  await run(["darshan", "convert", LOG, at("converted.darshan")]);
  await run(["ingest", at("single"), "--store", LOGS]);
  const first = async (store: string, sql: string) =>
    Object.values((JSON.parse(await run(["sql", "--store", store, sql, "--json"])) as object[])[0] ?? {})[0];
  const loaded = "select job_id from minutes group by job_id order by sum(bytes_written) desc limit 1";
  job = String(await first(at("site", "store"), loaded));
  path = String(await first(LOGS, "select path from files where path is not null order by path limit 1"));
}, 300_000);

/** What a command is asked; a string says why there is nothing to ask. */
interface Asked {
  readonly words: readonly string[];
  /** A file or folder that it writes. */
  readonly writes?: string;
  readonly codes?: readonly number[];
}
const centre = at("centre", "store");
const site = at("site", "store");

const said = (...words: string[]): Asked[] => [{ words }, { words: [...words, "--json"] }];
const page = (name: string, ...words: string[]): Asked => ({
  words: [...words, "-o", at(name)],
  writes: at(name),
});
const document = (...words: string[]): Asked[] => [
  ...said(...words),
  page(`${words.join("-").replaceAll(/[^a-z-]/g, "")}.html`, ...words),
];
const figures = (name: string, ...words: string[]): Asked => ({
  words: [...words, "--figures", at(name)],
  writes: at(name),
});

const LOG_TABLES = ["runs", "accesses", "files", "sources"];
const SITE_TABLES = ["jobs", "minutes", "targets", "readings", "target_states", "servers"];
const SMALLEST = ["--scale", "0.0001", "--background", "0.000001"];
const NO_DATA = "shows no data of a machine";
const OF_STORE = "is about batches and columns of a store, not about what was measured";
const MEASURES = "measures this machine";
const OTHERS = "no generator makes what it reads";
const OF_TASKS = "runs another command in tasks, which says so";

const ASKED: Readonly<Record<string, () => readonly Asked[] | string>> = {
  report: () => [...document("report", LOG), ...said("report", LOG, "--store", site)],
  open: () => [page("open.html", "open", LOG)],
  page: () => NO_DATA,
  findings: () => said("findings", LOG),
  diff: () => document("diff", at("single", "fix-before.darshan"), at("single", "fix-after.darshan")),
  record: () => MEASURES,
  bps: () => [
    ...document("bps", TRACED),
    figures("bps", "bps", TRACED),
    ...said("bps", "--rank", TRACED, at("single", "control.darshan")),
  ],
  export: () => [
    ...["perfetto", "speedscope", "csv", "parquet"].map((to) =>
      page(`calls.${to}`, "export", TRACED, "--to", to),
    ),
    ...["files", "counters"].map((table) => page(`${table}.csv`, "export", LOG, "--table", table)),
    page("files.parquet", "export", LOG, "--table", "files"),
  ],
  "darshan parse": () => said("darshan", "parse", LOG),
  "darshan dxt": () => said("darshan", "dxt", TRACED),
  "darshan convert": () => said("report", at("converted.darshan")),
  "darshan id": () => NO_DATA,
  "collect client": () => MEASURES,
  "collect server": () => MEASURES,
  "lustre parse": () => "prints one text of a server as it is; such texts have no place to say it",
  ingest: () => "counts what it read; the store keeps what was generated",
  sql: () => said("sql", "--store", LOGS, "select run_id, synthetic from runs limit 3"),
  top: () => [
    ...["jobs", "users", "accounts", "targets", "operations"].flatMap((what) =>
      said("top", what, "--store", site),
    ),
    ...["runs", "files", "applications"].flatMap((what) => [
      ...said("top", what, "--store", LOGS),
      ...said("top", what, LOG),
    ]),
    { words: ["top", "users", "--store", site, "--csv"] },
    page("top.html", "top", "users", "--store", site),
  ],
  compare: () => {
    const periods = ["--a", "end-3h..end-2h", "--b", "end-1h..end"];
    return [
      ...document("compare", "--store", site, ...periods),
      { words: ["compare", "--store", site, ...periods, "--csv"] },
    ];
  },
  serve: () => "src/serve/serve.test.ts asks for every page of it",
  week: () => document("week", "--store", site),
  who: () => document("who", "--store", site),
  job: () => [...document("job", job, "--store", site), ...said("job", job, "--store", site, "--line")],
  watch: () => said("watch", "--store", site, "--once"),
  file: () => document("file", path, "--store", LOGS),
  alerts: () => [
    { words: ["alerts", "--store", site], codes: [0, 1] },
    { words: ["alerts", "--store", site, "--json"], codes: [0, 1] },
  ],
  "quiet-hours": () => document("quiet-hours", "--store", site),
  "store check": () => OF_STORE,
  "store compact": () => OF_STORE,
  "store prune": () => OF_STORE,
  "store repair": () => OF_STORE,
  "store drop-batch": () => OF_STORE,
  "store export": () =>
    [...LOG_TABLES.map((table) => [table, LOGS]), ...SITE_TABLES.map((table) => [table, site])].map(
      ([table, store]) => page(`${table}-stored.csv`, "store", "export", store!, "--table", table!),
    ),
  "store schema": () => OF_STORE,
  "cluster ingest": () => OF_TASKS,
  "cluster study reuse": () => OF_TASKS,
  "cluster study system": () => OF_TASKS,
  "cluster generate reuse": () => OF_TASKS,
  "cluster generate sitewide": () => OF_TASKS,
  "cluster task": () => OF_TASKS,
  "cluster total": () => OF_TASKS,
  write: () => MEASURES,
  ls: () => OTHERS,
  read: () => OTHERS,
  verify: () => OTHERS,
  results: () => OTHERS,
  ncio: () => MEASURES,
  "ncio sweep": () => MEASURES,
  "ncio advise": () => OTHERS,
  "targets start": () => MEASURES,
  "targets stop": () => MEASURES,
  "targets status": () => MEASURES,
  interfere: () => MEASURES,
  papers: () => [
    page("study-reuse", "study", "reuse", "--store", centre, "--replicates", "20"),
    page("study-system", "study", "system", "--store", site, "--replicates", "20"),
    page("replay", "sim", "replay", "--only", "I2", "--samples", "3"),
    ...document("papers", at("study-reuse"), at("study-system"), at("replay")),
  ],
  "study reuse": () => said("study", "reuse", "--store", centre, "--replicates", "20"),
  "study system": () => said("study", "system", "--store", site, "--replicates", "20"),
  "study metric": () => [
    ...said("study", "metric", "--simulate", "--sets", "2a", "--replicates", "100"),
    page("study-metric", "study", "metric", "--simulate", "--sets", "2a", "--replicates", "100"),
  ],
  "sim run": () => [
    ...document("sim", "run", "xtp", "--writers", "80"),
    figures("sim-run", "sim", "run", "xtp", "--writers", "80"),
  ],
  "sim replay": () => [{ words: ["sim", "replay", "--only", "I2", "--samples", "3", "--json"] }],
  "sim alternatives": () => document("sim", "alternatives", "xtp", "--writers", "80", "--steps", "2"),
  "sim what-if": () => {
    const around = ["--remove-target", "0", "--hours", "6"];
    const words = ["sim", "what-if", "--store", centre, ...around];
    return [{ words: [...words, "--json"] }, page("what-if.html", ...words)];
  },
  "sim calibrate": () =>
    said("sim", "calibrate", "--machine", "xtp", "--budget", "0s", "--samples", "2", "--tests", "4"),
  "sim explore": () => said("sim", "explore", "--count", "3"),
  "generate single": () => [{ words: ["generate", "single", "-o", at("one"), "--only", "control"] }],
  "generate reuse": () => [{ words: ["generate", "reuse", "-o", at("small-centre"), ...SMALLEST] }],
  "generate sitewide": () => [
    { words: ["generate", "sitewide", "-o", at("small-site"), "--scale", "0.0002", "--tables"] },
  ],
  demo: () => "src/cli/demo.long.test.ts asks it",
  completion: () => NO_DATA,
};

const SAYS = /synthetic|simulated/i;

/** The headline of a text: what a reader sees first. */
const headOf = (text: string) => text.split("\n").slice(0, 14).join("\n");

/** Objects of JSON that say where all of it is from. */
const ORIGIN =
  /"(?:synthetic|simulated)":\s?(?:true|[1-9])|"origin":\s?(?:\{"synthetic":\s?[1-9]|"(?:synthetic|simulated)")|\(synthetic\)/;

/** Nothing that was generated is confirmed; scripts get the bare word, with what it means here beside it. */
function confirmedIn(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  const { verdict, verdictText } = value as Record<string, unknown>;
  const own = verdict === "confirmed" && !/ on (?:synthetic|simulated) data$/.test(String(verdictText));
  return [...(own ? [value] : []), ...Object.values(value).flatMap(confirmedIn)];
}

function checkText(text: string, name: string): void {
  if (/^\s*[{[]/.test(text)) {
    expect(text.replaceAll(/\s+/g, ""), name).toMatch(ORIGIN);
    expect(confirmedIn(JSON.parse(text)), name).toEqual([]);
    return;
  }
  expect(headOf(text), name).toMatch(SAYS);
  expect(text, name).not.toMatch(/\bconfirmed\b/i);
}

function checkFile(file: string): void {
  if (statSync(file).isDirectory()) {
    for (const name of readdirSync(file)) checkFile(join(file, name));
    return;
  }
  const text = readFileSync(file, "latin1");
  if (file.endsWith(".svg")) expect(text, file).toMatch(/>(?:synthetic|simulated)<\/text>/);
  else if (file.endsWith(".csv"))
    expect(text.split(/\r?\n/)[0], file).toMatch(/,?(?:origin|synthetic|simulated)"?$|,synthetic,/);
  else expect(text, file).toMatch(SAYS);
  const seen = file.endsWith(".html") ? text.replaceAll(/<(script|style)\b.*?<\/\1>|<[^>]*>/gs, " ") : text;
  if (/\.(?:html|csv|svg)$/.test(file)) expect(seen.match(/.{0,60}\bconfirmed\b.{0,20}/i), file).toBeNull();
}

describe("commands on generated data", () => {
  it("all have a line here", () => {
    expect(Object.keys(ASKED)).toEqual(commands.map(({ name }) => name));
  });

  it.each(Object.keys(ASKED))(
    "%s says so",
    async (name) => {
      const asked = ASKED[name]!();
      if (typeof asked === "string") return expect(asked).not.toBe("");
      for (const { words, writes, codes } of asked) {
        const out = await run(words, codes);
        if (writes === undefined) checkText(out, words.join(" "));
        else checkFile(writes);
      }
    },
    300_000,
  );
});
