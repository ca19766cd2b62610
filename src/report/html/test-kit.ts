/** Documents and stand-ins that tests of the page share. */
import { createHash } from "node:crypto";
import type { Answers, Document, TableBlock } from "../../model/document.ts";
import type { Figure } from "../../model/figure.ts";
import type { Finding } from "../../model/finding.ts";
import type { Trace } from "../../model/trace.ts";
import { formatExact, formatValue } from "../../plot/format.ts";
import type { HtmlParts } from "./parts.ts";

export const HOSTILE = `<img src=x onerror="window.pwned=1">'"&</script><script>window.pwned=2</script>\u202egpj.\u0007\ud800`;
/** What a reader sees of it. */
export const HOSTILE_SHOWN = `<img src=x onerror="window.pwned=1">'"&</script><script>window.pwned=2</script>⟨U+202E⟩gpj.␇⟨U+D800⟩`;

export const FIGURE: Figure = {
  id: "sizes",
  title: "Sizes of writes",
  caption: "Calls per size, n = 12.",
  summary: "Most are small.",
  definition: "J05@1",
  options: { layer: "POSIX" },
  chart: {
    kind: "bars",
    direction: "vertical",
    stacked: false,
    categories: ["small", "large"],
    categoryLabel: "size",
    value: { label: "calls", unit: "calls" },
    series: [{ name: "write", role: "write", values: [10, 2] }],
  },
};

export const ANSWERS: Answers = {
  headline: "One slow target costs this job 760 of its 794 seconds.",
  lead: ["OST 14 is slow.", "Move the files."],
  level: "high",
  finding: "small-writes",
  blame: { answer: "yes", text: "The slowest rank spends 98 % of the run in I/O." },
  gain: {
    ...{ seconds: 760, shareOfRun: 0.96, runSeconds: 794, withoutSeconds: 34, togetherSeconds: null },
    ...{ basis: "estimated", atMost: false, text: "760 s sooner, 96 % of the run." },
  },
  change: { text: "Move the files", finding: "small-writes" },
  sure: { confidence: "high", text: "Each file lies on one OST." },
};

export function testParts(changes: Partial<HtmlParts> = {}): HtmlParts {
  return {
    script: "",
    style: "",
    figure: () =>
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 100" width="720" height="100"><rect width="90" height="90" fill="var(--plot-write)"/></svg>',
    spark: () => '<svg class="spark" viewBox="0 0 120 28"></svg>',
    csv: () => "size,calls\r\nsmall,10\r\nlarge,2\r\n",
    figureTable: () => ({
      columns: [
        { label: "size", unit: "text" },
        { label: "calls", unit: "calls" },
      ],
      rows: [
        ["small", 10],
        ["large", null],
      ],
    }),
    trace: () => "AAEC",
    format: formatValue,
    exact: formatExact,
    sha256Base64: (text) => createHash("sha256").update(text, "utf8").digest("base64"),
    ...changes,
  };
}

export function testFinding(changes: Partial<Finding> = {}): Finding {
  return {
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
    statement: "93 % of writes carry less than 4 KB.",
    evidence: {
      numbers: [{ label: "Small writes", value: 93, unit: "calls", of: 100 }],
      files: [{ fileId: "18446744073709551615", path: "/lustre/out/data.h5", note: "93 calls" }],
      filesTotal: 3,
      ranks: [0, 7],
      span: { startSeconds: 1.5, endSeconds: 4 },
    },
    threshold: [{ name: "share of small writes", value: 0.1, unit: "share", source: "Drishti" }],
    advice: "Write more at once.",
    snippet: { language: "shell", code: "lfs setstripe -c 4 out" },
    effect: "Fewer requests.",
    confidence: "high",
    confidenceReason: "Every call is counted.",
    ...changes,
  };
}

const ABOUT = "Sum of POSIX_BYTES_WRITTEN.";

/** Rows: key (exact, hidden), name, bytes with gaps, exact count beyond 2^53. */
export const FILES: TableBlock = {
  kind: "table",
  id: "files",
  caption: "Files of the job",
  columns: [
    { key: "id", label: "Id", unit: "index", about: "", hidden: true },
    { key: "path", label: "Path", unit: "text", about: "Name in the log." },
    { key: "bytes", label: "Bytes", unit: "bytes", about: ABOUT },
    { key: "exact", label: "Exact", unit: "count", about: "An exact integer." },
  ],
  rows: [
    [18446744073709551615n, "/lustre/out/data.h5", 500, 9007199254740993n],
    [1n, "/lustre/out/chunk.10", 9, 9007199254740992n],
    [2n, "/lustre/out/chunk.9", 1_000_000, 9007199254740994n],
    [3n, HOSTILE, null, null],
  ],
  sortedBy: "bytes",
  rowKey: "id",
  searchable: true,
};

export function testDocument(changes: Partial<Document> = {}): Document {
  const severities = ["high", "warn", "info", "warn"] as const;
  const grouped: TableBlock = {
    kind: "table",
    id: "groups",
    caption: "In groups",
    columns: [
      { key: "name", label: "Name", unit: "text", about: "" },
      { key: "calls", label: "Calls", unit: "calls", about: "" },
    ],
    rows: [
      ["a.1", 1],
      ["a.2", 2],
      ["b", 7],
    ],
    groups: [
      { cells: ["a.#", 3], rows: [0, 1] },
      { cells: ["b", 7], rows: [2] },
    ],
  };
  const many: TableBlock = {
    kind: "table",
    id: "many",
    caption: "Many rows",
    columns: Array.from({ length: 15 }, (_, at) => ({
      key: `c${at}`,
      label: `Column ${at}`,
      unit: at === 0 ? ("text" as const) : ("bytes" as const),
      about: "",
    })),
    rows: Array.from({ length: 5000 }, (_, row) =>
      Array.from({ length: 15 }, (_, at) => (at === 0 ? `row ${row}` : row * at * 997)),
    ),
    searchable: true,
  };
  return {
    title: "vpic – job 7",
    facts: [{ label: "Ranks", text: "64", exact: "64 ranks on 2 nodes" }],
    verdict: "41 % of the run time went into I/O.",
    command: "plimsoll report log -o out.html",
    madeBy: "plimsoll test",
    sections: [
      {
        id: "overview",
        title: "Overview",
        intro: "What happened.",
        blocks: [
          {
            kind: "tiles",
            tiles: [
              { label: "Bytes written", value: 61_300_000_000, unit: "bytes", about: ABOUT },
              { label: "Throughput", value: Number.NaN, unit: "bytes/s", about: "Bytes by time." },
            ],
          },
          { kind: "notice", level: "missing", text: "No single calls.", how: "Set DXT_ENABLE_IO_TRACE=1." },
          { kind: "notice", level: "error", text: "Three records are damaged." },
          { kind: "figure", figure: FIGURE },
        ],
      },
      {
        id: "findings",
        title: "Findings",
        blocks: [
          {
            kind: "findings",
            none: "Nothing.",
            findings: [
              ...severities.map((severity) => testFinding({ severity, title: `A ${severity} one` })),
              testFinding({ severity: "info", title: HOSTILE, statement: `In ${HOSTILE}`, advice: HOSTILE }),
            ],
          },
        ],
      },
      { id: "timeline", title: "Timeline", blocks: [{ kind: "trace", trace: TRACE }] },
      { id: "files", title: "Files", blocks: [FILES] },
      { id: "groups", title: "Groups", blocks: [grouped, { kind: "code", language: "shell", code: "ls\n" }] },
      { id: "many", title: "Many", blocks: [many, { kind: "text", text: "The end.\n\nReally." }] },
    ],
    ...changes,
  };
}

/** The page's part of a trace is small: the viewer has the rest. */
const TRACE = {
  seconds: 10,
  ranks: 4,
  files: [],
  filesTotal: 0,
  layers: [{ name: "POSIX", calls: 12 }],
  hint: "Zoom in.",
} as unknown as Trace;
