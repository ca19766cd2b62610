/** `plimsoll generate single` in a process of its own: the folder it leaves, and the folders it leaves alone. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SINGLE_LOGS } from "../../generate/single/index.ts";

const program = fileURLToPath(new URL("../../../bin/plimsoll", import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-single-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function plimsoll(...words: string[]) {
  const { status, stdout, stderr, signal } = spawnSync(process.execPath, [program, ...words], {
    encoding: "utf8",
    cwd: folder,
    timeout: 30_000,
  });
  return { code: status, signal, out: stdout, err: stderr };
}
const single = (...words: string[]) => plimsoll("generate", "single", ...words);
const contents = (path: string) =>
  Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), "latin1")]));
const answersIn = (path: string) => JSON.parse(readFileSync(join(folder, path, "answers.json"), "utf8"));

describe("plimsoll generate single", () => {
  it("writes the whole catalogue with its answers, prints what is there, and ends by itself", () => {
    const { code, signal, out, err } = single("--output", "logs");
    expect({ code, signal, err }).toEqual({ code: 0, signal: null, err: "" });
    expect(readdirSync(folder)).toEqual(["logs"]);
    const files = SINGLE_LOGS.map(({ id }) => `${id}.darshan`);
    expect(readdirSync(join(folder, "logs")).sort()).toEqual(["answers.json", ...files].sort());
    // No colours and no bars where nobody looks.
    expect(out).not.toMatch(/[\x1b\r]/);
    for (const file of files) expect(out).toContain(file);
    expect(out).toContain("logs/answers.json");
    expect(out).toMatch(/synthetic/);
    const answers = answersIn("logs");
    expect({ ...answers, logs: 0 }).toEqual({ scenario: "single", version: 1, seed: 1, logs: 0 });
    expect(answers.logs.map(({ facts, file, ...log }: Record<string, unknown>) => log)).toEqual(
      SINGLE_LOGS.map(({ id, about, expected }) => ({ id, about, expected })),
    );
  });

  it("gives facts that darshan parse finds in the logs", () => {
    single("--output", "logs", "--only", "control", "--only", "stripe-one");
    const { logs } = answersIn("logs");
    expect(logs.map(({ id }: { id: string }) => id).sort()).toEqual(["control", "stripe-one"]);
    for (const { file, facts } of logs) {
      const parsed = JSON.parse(
        plimsoll("darshan", "parse", "--perf", "--file", "--json", join("logs", file)).out,
      );
      const { POSIX, STDIO } = parsed.modules;
      const moved = POSIX.performance.totalBytes + (STDIO?.performance.totalBytes ?? 0);
      expect(moved).toBe(facts.bytesRead + facts.bytesWritten);
      expect(POSIX.files.total.count).toBe(facts.files);
    }
  });

  it("prints a command that works on the folder it made", () => {
    const { out } = single("--output", "logs", "--only", "one-rank");
    const [, words = ""] = /^ {2}plimsoll (darshan .+)$/m.exec(out) ?? [];
    expect(plimsoll(...words.split(" "))).toMatchObject({ code: 0, err: "" });
  });

  it("replaces an earlier catalogue; the same seed gives the same files, alone or with others", () => {
    const some = ["--only", "control", "--only", "partial"];
    single("--output", "logs", ...some);
    const first = contents(join(folder, "logs"));
    writeFileSync(join(folder, "logs", "stale.darshan"), "from the last time");
    expect(single("--output", "logs/", ...some)).toMatchObject({ code: 0, err: "" });
    expect(contents(join(folder, "logs"))).toEqual(first);
    single("--output", "logs", "--only", "partial");
    expect(contents(join(folder, "logs"))["partial.darshan"]).toBe(first["partial.darshan"]);
    single("--output", "logs", "--seed", "2", ...some);
    expect(contents(join(folder, "logs"))["partial.darshan"]).not.toBe(first["partial.darshan"]);
    expect(answersIn("logs").seed).toBe(2);
    expect(readdirSync(folder)).toEqual(["logs"]);
  });

  it("fills an empty folder", () => {
    mkdirSync(join(folder, "empty"));
    expect(single("--output", "empty", "--only", "no-io").code).toBe(0);
    expect(readdirSync(join(folder, "empty"))).toContain("answers.json");
  });

  it("refuses a folder or file that it did not make and does not touch it", () => {
    mkdirSync(join(folder, "thesis"));
    writeFileSync(join(folder, "thesis", "answers.json"), '{"scenario": "other"}');
    writeFileSync(join(folder, "notes"), "a file");
    for (const name of ["thesis", "notes"]) {
      const { code, out, err } = single("--output", name, "--only", "no-io");
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toBe(
        `plimsoll: ${name} exists and is not an earlier catalogue; choose another folder; see plimsoll generate single --help\n`,
      );
    }
    expect(contents(join(folder, "thesis"))).toEqual({ "answers.json": '{"scenario": "other"}' });
    expect(readFileSync(join(folder, "notes"), "utf8")).toBe("a file");
    expect(readdirSync(folder).sort()).toEqual(["notes", "thesis"]);
  });

  it("a log that is not in the catalogue, and no folder, are wrong usage", () => {
    const unknown = single("--output", "logs", "--only", "small-write");
    expect(unknown).toMatchObject({ code: 2, out: "" });
    expect(unknown.err).toMatch(/^plimsoll: unknown log: small-write \(have: small-writes, /);
    const nowhere = single();
    expect(nowhere).toMatchObject({ code: 2, out: "" });
    expect(nowhere.err).toMatch(/^plimsoll: --output is missing/);
    expect(single("--output", "logs", "--seed", "-1").code).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("a place that cannot be written is one line and leaves nothing", () => {
    const { code, out, err } = single("--output", join("no", "such", "place"));
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^plimsoll: cannot write no\/such\/place[^\n]*: no such folder\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("--json tells where the answers are and how many logs there are", () => {
    const { code, out, err } = single("--json", "--output", "logs", "--only", "no-io", "--only", "non-mpi");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toEqual({ answers: "logs/answers.json", logs: 2 });
  });
});

describe("plimsoll generate single --counterfactual", () => {
  const some = ["--counterfactual", "2", "--only", "straggler", "--only", "fsync-per-write"];

  it("writes jobs with their twins and answers that are labelled synthetic", () => {
    const { code, out, err } = single("--output", "jobs", ...some, "--seed", "4");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^Made 2 jobs as \d+ Darshan logs \(synthetic\) in jobs\//);
    const { jobs, ...head } = answersIn("jobs");
    expect(head).toEqual({ scenario: "counterfactual", version: 1, synthetic: true, seed: 4 });
    expect(jobs.map(({ mainCause }: { mainCause: string }) => mainCause).sort()).toEqual([
      "fsync-per-write",
      "straggler",
    ]);
    const named = jobs.flatMap(
      ({ log, mendedLog, causes }: { log: string; mendedLog: string; causes: { mendedLog: string }[] }) => [
        ...[log, mendedLog],
        ...causes.map((cause) => cause.mendedLog),
      ],
    );
    expect(readdirSync(join(folder, "jobs")).sort()).toEqual([...new Set(["answers.json", ...named])].sort());
    for (const job of jobs) {
      expect(job).toMatchObject({ synthetic: true, kind: "planted" });
      expect(job.parameters.machine.linkRate).toBeGreaterThan(0);
      expect(job.causes[0]).toMatchObject({ cause: job.mainCause });
      expect(job.causes[0].trueGainSeconds).toBeGreaterThan(0);
    }
  });

  it("replaces an earlier set with the same bytes, and no catalogue", () => {
    single("--output", "jobs", ...some);
    const first = contents(join(folder, "jobs"));
    expect(single("--json", "--output", "jobs", ...some)).toMatchObject({ code: 0, err: "" });
    expect(contents(join(folder, "jobs"))).toEqual(first);
    expect(single("--output", "jobs", "--only", "no-io").err).toMatch(/is not an earlier catalogue/);
    single("--output", "logs", "--only", "no-io");
    expect(single("--output", "logs", ...some).err).toMatch(/is not an earlier set of jobs/);
    expect(readdirSync(join(folder, "logs")).sort()).toEqual(["answers.json", "no-io.darshan"]);
  });

  it("--json tells where the answers are, how many jobs and how many logs there are", () => {
    const { out } = single("--json", "--output", "jobs", "--counterfactual", "1", "--only", "re-reads");
    const told = JSON.parse(out);
    expect(told).toMatchObject({ answers: "jobs/answers.json", jobs: 1 });
    expect(told.logs).toBe(readdirSync(join(folder, "jobs")).length - 1);
  });

  it("causes and numbers that make no sense are one line and leave nothing", () => {
    const unknown = single("--output", "jobs", "--counterfactual", "3", "--only", "slow");
    expect(unknown).toMatchObject({ code: 2, out: "" });
    expect(unknown.err).toMatch(/^plimsoll: unknown cause: slow \(have: small-writes, /);
    for (const number of ["0", "-1", "1.5", "many", "100001"])
      expect(single("--output", "jobs", "--counterfactual", number), number).toMatchObject({
        code: 2,
        out: "",
      });
    expect(single("--counterfactual", "1").err).toMatch(/^plimsoll: --output is missing/);
    expect(readdirSync(folder)).toEqual([]);
  });
});
