/** `plimsoll study metric` without running workloads: simulation, earlier runs, bad requests. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandEntry } from "../../src/cli/command.ts";
import { runCli } from "../../src/cli/run.ts";
import { chosenSets } from "../../src/cli/study/metric.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";

const table: CommandEntry[] = [
  { name: "study metric", summary: "study", load: () => import("../../src/cli/study/metric.ts") },
];
const folder = mkdtempSync(join(tmpdir(), "plimsoll-metric-cli-"));
const study = join(folder, "study");

async function run(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(["study", "metric", ...words], table, world);
  return { code, out: world.out, err: world.err };
}

beforeAll(async () => {
  expect(await run("--simulate", "--repeats", "2", "--replicates", "100", "-o", study)).toMatchObject({
    code: 0,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("study metric --simulate", () => {
  it("prints published and simulated numbers with a verdict for each set and metric", async () => {
    const { code, out, err } = await run("--simulate", "--repeats", "2", "--replicates", "100");
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toContain("simulated on a device model");
    for (const set of ["1", "2a", "2b", "3a", "3b", "4", "4b"])
      for (const metric of ["IOPS", "BW", "ARPT", "BPS"])
        expect(out).toMatch(new RegExp(`^${set} +${metric} .* reproduced$`, "m"));
    expect(out).toMatch(/^3a +ARPT +-0\.58 /m);
    expect(out).toMatch(/^C06\.bps +reproduced/m);
  });

  it("gives one JSON document", async () => {
    const { out } = await run("--simulate", "--repeats", "2", "--replicates", "100", "--sets", "2", "--json");
    const json = JSON.parse(out);
    expect(json).toMatchObject({ study: "metric", simulated: true });
    expect(Object.keys(json.items)).toEqual(["C05", "C06"]);
    expect(Object.keys(json.items.C05.values)).toEqual(["2a", "2b"]);
    expect(json.items.C05).toMatchObject({
      definition: "C05@1",
      options: { average: "median" },
      n: 24,
      dropped: {},
    });
    expect(json.findings[0]).toMatchObject({ id: "C06.2a.iops", published: null, verdict: "confirmed" });
    expect(json.findings[0].interval).toHaveLength(2);
  });

  it("writes a folder: report, figures, runs, results", () => {
    const names = readdirSync(study);
    for (const number of ["04", "05", "06", "07", "08", "09", "10", "11", "12"])
      for (const ending of ["svg", "csv"]) expect(names).toContain(`figure-${number}.${ending}`);
    expect(names).toEqual(expect.arrayContaining(["report.html", "runs.csv", "study.json", "overview.svg"]));
    expect(readFileSync(join(study, "figure-09.svg"), "utf8")).toContain("simulated");
    expect(readFileSync(join(study, "report.html"), "utf8")).toContain("Simulated");
    expect(readFileSync(join(study, "runs.csv"), "utf8").trimEnd().split("\r\n")).toHaveLength(129);
  });
});

describe("study metric --from", () => {
  it("judges earlier runs again to the same result, and in another way when asked", async () => {
    const again = await run("--from", study, "--replicates", "100", "--json");
    expect(again.code).toBe(0);
    const { items, findings } = JSON.parse(again.out);
    const before = JSON.parse(readFileSync(join(study, "study.json"), "utf8"));
    expect(findings).toEqual(before.findings);
    expect(items).toEqual(before.items);
    const other = await run(
      "--from",
      study,
      "--replicates",
      "100",
      "--average",
      "mean",
      "--sets",
      "4b",
      "--json",
    );
    expect(JSON.parse(other.out).items.C05.options.average).toBe("mean");
    expect(JSON.parse(other.out).simulated).toBe(true);
  });

  it("says in one line what is wrong with them", async () => {
    expect(await run("--from", folder)).toMatchObject({
      code: 2,
      err: expect.stringContaining("no study.json"),
    });
    const broken = join(folder, "broken");
    cpSync(study, broken, { recursive: true });
    const csv = readFileSync(join(broken, "runs.csv"), "utf8");
    writeFileSync(join(broken, "runs.csv"), csv.replace(/^1,.*$/m, "1,HDD"));
    expect(await run("--from", broken)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^plimsoll: .*runs\.csv: line 2: 2 fields, expected 17\n$/),
    });
    writeFileSync(join(broken, "runs.csv"), `${csv.split("\r\n")[0]}\r\n`);
    expect(await run("--from", broken)).toMatchObject({
      code: 1,
      err: expect.stringContaining("no runs of set"),
    });
    rmSync(join(broken, "runs.csv"));
    expect(await run("--from", broken)).toMatchObject({
      code: 1,
      err: expect.stringContaining("no such file"),
    });
  });
});

describe("bad requests", () => {
  it.each([
    [["--sets", "5"], "no set 5"],
    [["--sets", "1,,2a"], "no set without a name"],
    [["--sets", ""], "no set without a name"],
    [["--repeats", "0"], "--repeats"],
    [["--size", "1K"], "--size"],
    [["--device", "floppy"], "--device"],
    [["--simulate", "--from", "x"], "exclude each other"],
    [["--dir", "/nowhere/at/all"], "no such folder"],
    [["--dir", "/etc/hostname"], "not a folder"],
    [["--size", "1T", "--sets", "2b"], "free, but the data needs"],
    [["--simulate", "-o", folder], "is not an earlier study"],
  ])("%j: one line and exit code 2", async (words, text) => {
    const { code, out, err } = await run(...words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(text);
    expect(err.trimEnd().split("\n")).toHaveLength(1);
  });

  it("names the compiler that is missing, and the way without one", async () => {
    const before = process.env.CC;
    process.env.CC = "/nowhere/cc";
    try {
      const { code, err } = await run("--quick", "--sets", "1");
      expect(code).toBe(2);
      expect(err).toMatch(/^plimsoll: no C compiler: cannot run \/nowhere\/cc .*--simulate.*\n$/);
    } finally {
      if (before === undefined) delete process.env.CC;
      else process.env.CC = before;
    }
  });

  it("takes a number of a set for all its parts", () => {
    expect(chosenSets("3,1")).toEqual(["1", "3a", "3b"]);
    expect(chosenSets("4")).toEqual(["4"]);
    expect(chosenSets("4b, 2a")).toEqual(["2a", "4b"]);
  });
});
