import { describe, expect, it } from "vitest";
import { SINGLE_LOGS } from "../../generate/single/index.ts";
import type { Fact } from "./facts.ts";
import { jobDocument, withSection } from "./document.ts";
import type { Job, RunFacts } from "./job.ts";
import { judge } from "./judge.ts";
import { unjudgedText } from "./sections/findings.ts";
import { singleJob } from "./test-kit.ts";

const run = (values: Partial<RunFacts>) =>
  ({
    application: "solver",
    jobId: "7",
    userId: "1001",
    commandLine: "/apps/solver deck",
    logVersion: "3.41",
    libraryVersion: "3.4.4",
    isSynthetic: false,
    modules: [],
    partialModules: [],
    warnings: [],
    source: "a.darshan",
    runSeconds: 10,
    ...values,
  }) as unknown as RunFacts;

describe("rules that could not be applied", () => {
  const rule = (...lacks: Fact[][]) => ({ id: "any", missing: "", lacks });

  it("are counted by the data that is missing, each kind once and in words", () => {
    const traces: Fact[] = ["activity", "POSIX calls", "MPI-IO calls"];
    const text = unjudgedText([
      rule(["layout"]),
      rule(["MPI-IO"], traces),
      rule(["MPI-IO"], ["layout"]),
      rule(["POSIX calls"]),
      rule(["layout"]),
    ]);
    expect(text).toBe(
      "5 other rules need data that the log does not have: stripe layout (3 rules), MPI-IO (2), activity over time or traced calls (1), traced calls (1). ",
    );
    expect(unjudgedText([rule(["H5D"])])).toContain("1 other rule needs data");
    expect(unjudgedText([])).toBe("");
  });
});

describe("the document", () => {
  const documentOf = (one: Job) =>
    jobDocument({
      job: one,
      verdicts: judge(one),
      tables: new Map(),
      trace: undefined,
      madeBy: "Plimsoll 1",
      command: "plimsoll report",
    });

  it("of a synthetic log says so in every figure, those of findings included, and has the first one once", () => {
    const { figure, sections } = documentOf(singleJob("small-writes"));
    const blocks = sections.flatMap((section) => section.blocks);
    const inFindings = blocks.flatMap((block) =>
      block.kind === "findings" ? block.findings.flatMap((finding) => finding.figure ?? []) : [],
    );
    const inSections = blocks.flatMap((block) => (block.kind === "figure" ? [block.figure] : []));
    expect(inFindings.length).toBeGreaterThan(0);
    for (const one of [...inFindings, ...inSections]) expect([one.id, one.synthetic]).toEqual([one.id, true]);
    // The same object, by which a page knows that it has drawn it.
    expect(inFindings).toContain(figure);
  });

  it.each(SINGLE_LOGS.map(({ id }) => id))("of %s has all sections and no number that is none", (id) => {
    const { sections, facts, title } = documentOf(singleJob(id));
    expect(sections.map((section) => section.id)).toEqual([
      "findings",
      "overview",
      "heat",
      "timeline",
      "metrics",
      "sizes",
      "cost",
      "counts",
      "layers",
      "folders",
      "files",
      "storage",
      "counters",
      "about",
    ]);
    const texts: string[] = [title, ...facts.flatMap(({ text, exact }) => [text, exact ?? ""])];
    for (const { intro = "", blocks } of sections) {
      texts.push(intro);
      for (const block of blocks) {
        if (block.kind === "figure")
          texts.push(block.figure.caption, block.figure.summary, block.figure.title);
        if (block.kind === "notice" || block.kind === "text") texts.push(block.text);
        if (block.kind === "table") {
          texts.push(block.caption);
          for (const row of block.rows) expect(row).toHaveLength(block.columns.length);
          for (const { cells } of block.groups ?? []) expect(cells).toHaveLength(block.columns.length);
        }
        if (block.kind === "tiles") texts.push(...block.tiles.map(({ note = "" }) => note));
      }
    }
    for (const text of texts) {
      expect(text).not.toMatch(/NaN|undefined|null|Infinity/);
      // What is dark on paper is bright in the dark theme.
      expect(text).not.toMatch(/dark|bright/i);
      for (const sentence of text.split(". "))
        expect(/\d [KMGTPE]iB/.test(sentence) && /\d [kMGTPE]B/.test(sentence), sentence).toBe(false);
      expect(text).not.toMatch(/\b1 (files|ranks|logs|calls|reads|writes|OSTs|rules|datasets)\b/);
    }
    const figures = sections.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.kind === "figure" ? [block.figure.id] : [])),
    );
    expect(new Set(figures).size).toBe(figures.length);
  });

  it("gives program, processes, times and recorder", () => {
    const { facts } = documentOf(singleJob("fix-before"));
    const text = Object.fromEntries(facts.map((fact) => [fact.label, fact.text]));
    expect(text).toMatchObject({
      Program: "/apps/heat --steps 100",
      Processes: "16",
      Start: "2025-10-09 08:53 UTC",
      User: "1000",
      Files: "1",
      "Recorded by": "Darshan 3.5.0",
      Modules: "POSIX MPI-IO LUSTRE HEATMAP",
    });
  });

  it("says what is not recorded", () => {
    const whole = singleJob("no-io");
    const { facts } = documentOf({
      ...whole,
      startUnixSeconds: Number.NaN,
      runSeconds: Number.NaN,
      runs: [run({ commandLine: "", application: "" })],
    });
    const text = Object.fromEntries(facts.map((fact) => [fact.label, fact.text]));
    expect(text).toMatchObject({
      Program: "not recorded",
      Start: "not recorded",
      "Run time": "not recorded",
    });
  });

  it("titles several programs and jobs by their number when there are many", () => {
    const whole = singleJob("no-io");
    const runs = Array.from({ length: 5 }, (_, i) => run({ application: `p${i}`, jobId: String(i) }));
    expect(documentOf({ ...whole, runs }).title).toBe("5 programs, job 0 and 4 others");
    expect(documentOf({ ...whole, runs: runs.slice(0, 2) }).title).toBe("p0, p1, job 0, 1");
  });

  it("groups files by name, and says when they differ", () => {
    const { sections } = documentOf(singleJob("unbalanced-osts"));
    const [table] = sections.find(({ id }) => id === "files")!.blocks;
    if (table?.kind !== "table") throw new Error("no table of files");
    const [group] = table.groups ?? [];
    expect(group?.rows).toHaveLength(128);
    const cell = (key: string) => group?.cells[table.columns.findIndex((column) => column.key === key)];
    expect(cell("path")).toBe("/scratch/run/part.#.# (128 files)");
    expect(cell("stripes")).toBe(1);
    // They lie on different OSTs.
    expect(cell("osts")).toBe("several");
    expect(cell("written")).toBe(
      table.rows.reduce(
        (sum, row) => sum + Number(row[table.columns.findIndex((column) => column.key === "written")]),
        0,
      ),
    );
  });
});

it("a section of elsewhere comes before those on how the report was made", () => {
  const ids = (...names: string[]) => names.map((id) => ({ id, title: id, blocks: [] }));
  const document = { title: "", facts: [], verdict: "", command: "", madeBy: "" };
  const [more] = ids("servers") as [ReturnType<typeof ids>[number]];
  const order = (...names: string[]) =>
    withSection({ ...document, sections: ids(...names) }, more).sections.map(({ id }) => id);
  expect(order("files", "counters", "about")).toEqual(["files", "servers", "counters", "about"]);
  expect(order("files", "about")).toEqual(["files", "servers", "about"]);
  expect(order("files")).toEqual(["files", "servers"]);
});
