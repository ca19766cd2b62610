/** Documents on a terminal: widths, cuts, blocks, and nothing that a terminal would obey. */
import { describe, expect, it } from "vitest";
import type { Block, Document, TableBlock } from "../../model/document.ts";
import type { Figure } from "../../model/figure.ts";
import type { Finding } from "../../model/finding.ts";
import { cut, cutEnd } from "../../base/cut.ts";
import { figureText } from "./figures.ts";
import { findingsText, plain, renderText, wrap } from "./index.ts";

const document = (blocks: readonly Block[], values: Partial<Document> = {}): Document => ({
  title: "solver, job 7",
  facts: [{ label: "Processes", text: "4" }],
  verdict: "All is well.",
  sections: [
    { id: "one", title: "One", intro: "What it shows.", blocks },
    { id: "two", title: "Two", blocks: [{ kind: "text", text: "Details." }], detail: true },
  ],
  command: "",
  madeBy: "",
  ...values,
});

const rendered = (
  blocks: readonly Block[],
  options: { width?: number; color?: boolean; full?: boolean } = {},
) => renderText(document(blocks), { width: 60, color: false, full: false, ...options });
/** The lines of the blocks of the first section. */
const lines = (blocks: readonly Block[], width = 60) => rendered(blocks, { width }).split("\n").slice(7, -1);

const finding: Finding = {
  id: "small-writes",
  severity: "high",
  cost: {
    seconds: 12,
    shareOfRun: 0.3,
    basis: "estimated",
    atMost: false,
    model: "the same bytes in calls of 1 MiB",
    within: null,
  },
  title: "Small writes",
  statement: "100 % of writes are small. They take long.",
  evidence: {
    numbers: [],
    files: [
      { fileId: "1", path: "/scratch/a", note: "3 writes" },
      { fileId: "2", path: "/scratch/\x1b[2Jb", note: "" },
    ],
    filesTotal: 7,
    ranks: [],
  },
  threshold: [],
  advice: "Write more at once.",
  snippet: { language: "c", code: "write(fd);\n\x07close(fd);" },
  effect: "",
  confidence: "high",
  confidenceReason: "",
};

const table = (values: Partial<TableBlock> = {}): TableBlock => ({
  kind: "table",
  id: "t",
  caption: "A table.",
  columns: [
    { key: "path", label: "Path", unit: "text", about: "" },
    { key: "bytes", label: "Bytes", unit: "bytes", about: "" },
    { key: "id", label: "Id", unit: "text", about: "", hidden: true },
  ],
  rows: [
    ["/a", 1500, "1"],
    ["/long/name", null, "2"],
  ],
  ...values,
});

const figure = (chart: Figure["chart"]): Figure => ({
  id: "f",
  title: "A figure",
  caption: "What is drawn.",
  summary: "In a sentence.",
  definition: "J01@1",
  options: {},
  chart,
});

describe("a document with answers", () => {
  const answers: NonNullable<Document["answers"]> = {
    headline: "One slow target costs this job 760 of its 794 seconds.",
    lead: ["It is slow.", "Move the files."],
    level: "high",
    finding: "slow-ost",
    blame: { answer: "yes", text: "The slowest rank spends 98 % of the run in I/O." },
    gain: {
      ...{ seconds: 760, shareOfRun: 0.96, runSeconds: 794, withoutSeconds: 34, togetherSeconds: null },
      ...{ basis: "estimated", atMost: false, text: "About 760 seconds sooner." },
    },
    change: { text: "Move the files", finding: "slow-ost" },
    sure: { confidence: "high", text: "Each file lies on one OST." },
  };
  const culprit: Figure["chart"] = {
    kind: "culprit",
    direction: "vertical",
    itemLabel: "OST",
    items: [3, 30, 29].map((value, at) => ({ name: String(at), value })),
    value: { label: "rate", unit: "bytes/s" },
    severity: "high",
    marked: [0],
    markLabel: "OST 0: 3 B/s",
  };

  it("says headline, answers and what the picture shows before all else; notes are a line", () => {
    const note = { ...finding, severity: "info" as const, title: "Many seeks" };
    const text = renderText(
      document([{ kind: "findings", findings: [finding, note], none: "" }], {
        answers,
        figure: figure(culprit),
      }),
      { width: 70, color: false, full: false },
    );
    expect(text.split("\n").slice(0, 16)).toEqual([
      "solver, job 7",
      "",
      "One slow target costs this job 760 of its 794 seconds.",
      "It is slow. Move the files.",
      "",
      "I/O to blame?  Yes. The slowest rank spends 98 % of the run in I/O.",
      "Gain           About 760 seconds sooner.",
      "Change first   Move the files",
      "How sure       High. Each file lies on one OST.",
      "",
      "A figure",
      "◆ OST 0: 3 B/s",
      "◆ 0 █████▏ 3 B/s",
      expect.stringMatching(/^ {2}1 █{50,} 30 B\/s$/),
      expect.stringMatching(/^ {2}2 █{40,}.? 29 B\/s$/),
      "",
    ]);
    expect(text).toMatch(/^ {2}INFO Many seeks \(small-writes, about 12 s, 30 % of the run\).*…$/m);
  });

  it("shows many items as heights, with marks below the cause", () => {
    const many = Array.from({ length: 100 }, (_, at) => ({ name: String(at), value: at === 0 ? 10 : 1 }));
    const lines = figureText(figure({ ...culprit, items: many, restLabel: "99 others" }), 60);
    expect(lines.slice(0, 2)).toEqual(["◆ OST 0: 3 B/s", "  99 others"]);
    expect(lines[2]).toMatch(/^ {2}█▁+$/);
    expect(lines[3]).toBe("  ◆");
    expect(lines[4]).toMatch(/^ {2}0 +99 {2}OST$/);
  });
});

describe("wrap", () => {
  it("keeps lines within the width and loses no word", () => {
    const text = "one two three four five six seven eight nine ten";
    for (let width = 5; width < 60; width++) {
      const wrapped = wrap(text, width);
      expect(wrapped.join(" ")).toBe(text);
      for (const line of wrapped) expect(line.length).toBeLessThanOrEqual(width);
      // Greedy: the next word would not have fitted.
      wrapped.slice(1).forEach((line, i) => {
        expect((wrapped[i] as string).length + 1 + (line.split(" ")[0] as string).length).toBeGreaterThan(
          width,
        );
      });
    }
  });

  it("keeps a long word whole, and takes nothing for nothing", () => {
    expect(wrap(`a ${"x".repeat(30)} b`, 10)).toEqual(["a", "x".repeat(30), "b"]);
    expect(wrap("", 10)).toEqual([]);
    expect(wrap("a   b", 10)).toEqual(["a b"]);
  });

  it("makes visible what a terminal would obey", () => {
    expect(wrap("a\x1b[2J\nb", 20)).toEqual(["a␛[2J␊b"]);
    for (let code = 0; code < 0x100; code++)
      expect(plain(String.fromCharCode(code))).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
    expect(plain("\u202eexe")).toBe("⟨U+202E⟩exe");
    expect(plain("häß 漢字 😀")).toBe("häß 漢字 😀");
  });
});

describe("cut", () => {
  it("keeps both ends of what is too long", () => {
    expect(cut("abcdefghij", 10)).toBe("abcdefghij");
    expect(cut("abcdefghij", 9)).toBe("abcd…ghij");
    expect(cut("abcdefghij", 5)).toBe("ab…ij");
    for (let width = 3; width < 40; width++) expect(cut("x".repeat(40), width)).toHaveLength(width);
  });

  it("never cuts a number in two, nor from its unit", () => {
    const text = "34,816 calls of 47.5 kB on average, 12.25 GB of 16 GB in all";
    const parts = new Set(text.split(" "));
    for (let width = 24; width < text.length; width++)
      for (const short of [cut(text, width), cutEnd(text, width)]) {
        expect(short.length).toBeLessThanOrEqual(width);
        for (const word of short.split(/[ …]+/).filter(Boolean)) expect(parts).toContain(word);
        expect(short).not.toMatch(/\d ?…/);
      }
    expect(cutEnd(text, 27)).toBe("34,816 calls of 47.5 kB on…");
  });

  it("leaves no half of a character", () => {
    for (let width = 3; width < 20; width++)
      expect(cut("😀".repeat(20), width)).not.toMatch(
        /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/,
      );
  });
});

describe("renderText", () => {
  it("prints title, facts, verdict and the main sections; all sections in full", () => {
    const text = rendered([{ kind: "text", text: "Hello." }]);
    expect(text).toBe("solver, job 7\nProcesses    4\n\nAll is well.\n\nOne\nWhat it shows.\nHello.\n");
    expect(rendered([], { full: true })).toContain("\nTwo\nDetails.\n");
  });

  it("paints only when asked", () => {
    expect(rendered([{ kind: "findings", findings: [finding], none: "" }])).not.toContain("\x1b");
    const painted = rendered([{ kind: "findings", findings: [finding], none: "" }], { color: true });
    expect(painted).toContain("\x1b[1;31mHIGH\x1b[0m");
    // Paint is all that there is to obey.
    expect(painted.replace(/\x1b\[[\d;]*m/g, "")).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]/);
  });

  it("keeps hostile titles and facts harmless and within the width", () => {
    const text = renderText(
      document([], {
        title: "\x1b]0;x\x07",
        facts: [{ label: "Program", text: `\r${"y".repeat(300)}` }],
        verdict: "\x9b2J",
      }),
      { width: 60, color: false, full: true },
    );
    expect(text).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]/);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
  });
});

describe("blocks", () => {
  it("sentences of a table stand whole below their row", () => {
    const long = Array.from({ length: 20 }, (_, i) => `word${i}`).join(" ");
    const columns = table().columns.slice(0, 1);
    expect(
      lines([table({ columns: [...columns, ...columns], prose: true, rows: [["J1", long]] })])
        .join(" ")
        .replace(/ +/g, " "),
    ).toContain(`J1 ${long}`);
  });

  it("notices say how bad it is and what to do", () => {
    const notice = (level: "error" | "warning" | "missing" | "note") =>
      lines([{ kind: "notice", level, text: "It is so.", how: "Do this." }]);
    expect(notice("error")).toEqual(["error: It is so. Do this."]);
    expect(notice("warning")).toEqual(["warning: It is so. Do this."]);
    expect(notice("missing")).toEqual(["It is so. Do this."]);
    expect(rendered([{ kind: "notice", level: "error", text: "Red." }], { color: true })).toContain(
      "\x1b[1;31merror: Red.\x1b[0m",
    );
  });

  it("tiles are a line each, and what is not known is said so", () => {
    const [first, second] = lines([
      {
        kind: "tiles",
        tiles: [
          { label: "Bytes read", value: 1.07e9, unit: "bytes", about: "", note: "a note" },
          { label: "Throughput", value: Number.NaN, unit: "bytes/s", about: "" },
        ],
      },
    ]);
    expect(first).toMatch(/^ {2}Bytes read +1\.07 GB {3}a note$/);
    expect(second).toMatch(/^ {2}Throughput +not recorded$/);
  });

  it("evidence of a finding is whole, on lines of its own where it does not fit", () => {
    const note = "34,816 calls of 47.5 kB on average, 1.65 GB of 3.3 GB";
    const files = [
      { fileId: "1", path: "/lustre/out", note },
      { fileId: "2", path: "/lustre/project/climate/run-2026/output/restart.nc", note },
    ];
    const evidence = { ...finding.evidence, files, filesTotal: 3 };
    for (const width of [40, 60, 80, 120]) {
      const text = findingsText([{ ...finding, evidence }], { width, color: false });
      expect(text.replace(/\s+/g, " ").split(note)).toHaveLength(3);
      for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(Math.max(width, 60));
      expect(text).toContain("and 1 more file");
    }
  });

  it("findings have severity, statement, files, advice and code", () => {
    const text = findingsText([finding], { width: 60, color: false });
    expect(text).toBe(`  HIGH Small writes (small-writes)
    Cost: about 12 s, 30 % of the run.
    100 % of writes are small. They take long.
    /scratch/a  3 writes
    /scratch/␛[2Jb
    and 5 more files
    → Write more at once.
      write(fd);
      ␇close(fd);

`);
    expect(lines([{ kind: "findings", findings: [], none: "Nothing found." }])).toEqual(["Nothing found."]);
  });

  it("tables align, leave hidden columns out, and say what is missing", () => {
    expect(lines([table()])).toEqual([
      "A table.",
      "Path               Bytes",
      "/a                1.5 kB",
      "/long/name             -",
    ]);
    const many = table({ rows: Array.from({ length: 50 }, (_, i) => [`/f${i}`, i, "x"]), rowsTotal: 900 });
    const shown = lines([many]);
    expect(shown).toHaveLength(2 + 40 + 1);
    expect(shown.at(-1)).toContain("860 more");
    const grouped = lines([table({ groups: [{ cells: ["# (2 files)", 1500, null], rows: [0, 1] }] })]);
    expect(grouped).toHaveLength(3);
    expect(grouped[2]).toContain("# (2 files)");
    const wide = lines([table({ caption: "word ".repeat(40), rows: [[`/${"x".repeat(500)}`, 1, ""]] })], 60);
    for (const line of wide) expect(line.length).toBeLessThanOrEqual(60);
  });

  it("pale rows are dim in colour", () => {
    const text = rendered([table({ pale: [false, true] })], { color: true });
    expect(text).toMatch(/\n\x1b\[2m\/long\/name/);
    expect(text).toMatch(/\n\/a/);
  });

  it("code keeps its lines", () => {
    expect(lines([{ kind: "code", language: "c", code: "a\n  b" }])).toEqual(["    a", "      b"]);
  });
});

describe("figures", () => {
  it("bars are as long as their share", () => {
    const chart: Figure["chart"] = {
      kind: "bars",
      direction: "horizontal",
      stacked: false,
      categories: ["POSIX", "STDIO"],
      categoryLabel: "layer",
      value: { label: "time", unit: "seconds" },
      series: [{ name: "time", role: "neutral", values: [8, 2] }],
    };
    const [first = "", second = ""] = figureText(figure(chart), 61);
    expect(first).toBe(`POSIX ${"█".repeat(40)} 8 s`);
    expect(second).toBe(`STDIO ${"█".repeat(10)} 2 s`);
    const none = figureText(
      figure({ ...chart, series: [{ name: "time", role: "neutral", values: [0, Number.NaN] }] }),
      60,
    );
    expect(none.join("\n")).toBe("POSIX  0 s\nSTDIO  not recorded");
  });

  it("heat maps become rows over time and by rank, without a byte lost", () => {
    const chart: Figure["chart"] = {
      kind: "heat",
      x: { label: "time", unit: "seconds", edges: Float64Array.from({ length: 101 }, (_, i) => i) },
      y: { label: "rank", unit: "index", edges: Float64Array.of(0, 1, 2) },
      value: { label: "bytes", unit: "bytes", scale: "log" },
      parts: [
        { name: "read", role: "read", cells: new Float64Array(200) },
        {
          name: "written",
          role: "write",
          cells: Float64Array.from({ length: 200 }, (_, cell) =>
            cell === 0 ? 8000 : cell === 199 ? 1000 : 0,
          ),
        },
      ],
      topLabel: "",
      rightLabel: "",
    };
    const [written = "", axis = "", ranks = "", ...rest] = figureText(figure(chart), 60);
    expect(rest).toEqual([]);
    // Nothing was read, so there is no row for it.
    expect(written).toMatch(/^written {2}█ +▁ 9 kB$/);
    expect(axis).toMatch(/ 0 +1 min 40 s$/);
    expect(ranks).toBe("by rank  █▁");
  });

  it("strips show bytes and time of each item", () => {
    const chart: Figure["chart"] = {
      kind: "strip",
      itemLabel: "OST",
      items: [4, 8, 0].map((height, i) => ({ name: String(i), height, colour: 8 - height, note: "" })),
      height: { label: "bytes", unit: "bytes" },
      colour: { label: "time", unit: "seconds" },
    };
    expect(figureText(figure(chart), 60)).toEqual(["bytes    ▄█ ", "time     ▄ █ OST 0 to 2"]);
  });
});
