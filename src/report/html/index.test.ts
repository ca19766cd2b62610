import { describe, expect, it } from "vitest";
import type { TableBlock } from "../../model/document.ts";
import { lookOf, type PageData } from "./data.ts";
import { attribute, name, prose, scriptJson, visible } from "./escape.ts";
import { renderHtml } from "./index.ts";
import { findingMarkdown } from "./markdown.ts";
import { formatValue } from "../../plot/format.ts";
import {
  ANSWERS,
  FIGURE,
  FILES,
  HOSTILE,
  HOSTILE_SHOWN,
  testDocument,
  testFinding,
  testParts,
} from "./test-kit.ts";

describe("text of a log", () => {
  it("shows control, bidi and half characters as symbols", () => {
    expect(visible("a\u0000\n\u007f\u0085\u202e\u2066\ufeff\ud800z\udfff")).toBe(
      "a␀␊␡⟨U+0085⟩⟨U+202E⟩⟨U+2066⟩⟨U+FEFF⟩⟨U+D800⟩z⟨U+DFFF⟩",
    );
    expect(visible("größe 🚢 \u200dok")).toBe("größe 🚢 \u200dok");
  });

  it("loses its middle when it is long, and keeps at most 2000 characters on hover", () => {
    const long = `/begin/${"x".repeat(10_000)}/end`;
    const shown = name(long);
    expect(shown).toMatch(/^<bdi title="\/begin\/x+…x+\/end">\/begin\/x+…x+\/end<\/bdi>$/);
    expect(attribute(long)).toHaveLength(2000);
    expect(prose(`in ${long} there`).length).toBeLessThan(120);
  });

  it("stays JSON within a script element", () => {
    const text = scriptJson({ a: `</script><!--&\u2028${HOSTILE}` });
    expect(text).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(text).a).toBe(`</script><!--&\u2028${HOSTILE}`);
  });
});

describe("numbers of a finding", () => {
  it("that are sizes have binary units, as the sentence about them", () => {
    const numbers = [
      { label: "Usual size", value: 47_500, unit: "bytes", size: true },
      { label: "Written", value: 47_500, unit: "bytes" },
    ] as const;
    const { evidence } = testFinding({});
    const finding = testFinding({ evidence: { ...evidence, numbers } });
    const markdown = findingMarkdown(finding, formatValue);
    expect(markdown).toContain("- Usual size: **46.4 KiB**\n- Written: **47.5 kB**");
  });
});

describe("a table", () => {
  const sentence = "Holds here, with the whole interval around it.";
  const repeating = {
    ...{ kind: "table", id: "t", caption: "Verdicts." },
    columns: ["Finding", "Here", "Why"].map((label) => ({ key: label, label, unit: "text", about: "" })),
    rows: ["F1", "F2", "F3"].map((id) => [id, id === "F3" ? "refuted" : "confirmed", sentence]),
  } as TableBlock;
  const html = (table: TableBlock) =>
    renderHtml(testDocument({ sections: [{ id: "s", title: "S", blocks: [table] }] }), testParts());

  it("has the whole of a long text beside its short form, for paper and phones", () => {
    const long = `/scratch/${"y".repeat(90)}/end`;
    const made = html({ ...repeating, rows: [[long, "a", "b"]] });
    expect(made).toContain(`<bdi class="whole">${long}</bdi>`);
    expect(made).toMatch(/<bdi class="cut" title="[^"]+">\/scratch\/y+…y+\/end<\/bdi>/);
    expect(html({ ...repeating, rows: [["short", "a", "b"]] })).not.toContain('class="whole"');
  });

  it("marks what rose, and says what a column has where there is no value", () => {
    const made = html({
      ...repeating,
      columns: [
        repeating.columns[0]!,
        { key: "c", label: "Change", unit: "bytes", about: "", signed: true },
        { key: "m", label: "Mean", unit: "bytes", about: "", none: "–" },
        { key: "x", label: "Other", unit: "count", about: "" },
      ],
      rows: [
        ["a", 2000, null, null],
        ["b", -2000, 7, 7],
        ["c", 0, 7, 7],
      ],
    });
    expect(made).toContain("<td>+2 kB<td><i>–</i><td><i>not recorded</i>");
    expect(made).toContain("<td>-2 kB<td>7 B<td>7");
    expect(made).toContain("<td>0 B");
  });

  it("leads where a column with addresses says, and nowhere else", () => {
    const linked = (address: string) =>
      html({
        ...repeating,
        columns: [
          { ...repeating.columns[0]!, link: "to" },
          { key: "to", label: "To", unit: "text", about: "", hidden: true },
        ],
        rows: [["F1", address]],
      });
    expect(linked("study/report.html#figure-5a")).toContain(
      '<a href="study/report.html#figure-5a"><bdi>F1</bdi></a>',
    );
    for (const bad of [
      "javascript:alert(1)",
      "//host/x",
      "/etc/passwd",
      'x" onclick="y',
      "https://a.b",
      "data:x",
    ])
      expect(linked(bad), bad).not.toMatch(/<a href="(?!#)/);
  });

  it("says once what no row has", () => {
    const rows = ["F1", "F2", "F3"].map((id) => [id, null, "b"]);
    const made = html({ ...repeating, rows: [...rows, ["others", "", "c"]] });
    expect(made).toContain("Verdicts. Not recorded: Here.");
    expect(made).not.toContain('data-key="Here"');
    expect(html({ ...repeating, rows: [...rows, ["others", "d", "c"]] })).toContain('data-key="Here"');
  });

  it("says once what every row repeats, and keeps it in the data", () => {
    const page = html(repeating);
    expect(page).toContain(`Verdicts. Why: ${sentence}`);
    expect(page).not.toContain('data-key="Why"');
    const rows = repeating.rows.map((row, at) =>
      at === 1 ? [...row.slice(0, 2), "Another reason than that."] : row,
    );
    expect(html({ ...repeating, rows })).toContain('data-key="Why"');
  });

  it("has the first sentence as headline, also after a mark and before a number", () => {
    const headline = (verdict: string) =>
      /class="headline">(.*?)<\/p>/.exec(renderHtml(testDocument({ verdict }), testParts()))?.[1];
    expect(headline("Synthetic data: bytes fell to 257 MB/h (0.015 times). 47.3 % is user a.")).toBe(
      "Synthetic data: bytes fell to 257 MB/h (0.015 times).",
    );
    expect(headline("Synthetic data: nothing changed.")).toBe("Synthetic data: nothing changed.");
    expect(headline("Simulated: a is 1.24 times as fast as b (12 s, 9.7 s).")).toMatch(
      /^Simulated: a is .*\.$/,
    );
  });

  it("marks words of verdicts", () => {
    const page = html(repeating);
    expect(page).toContain('<td class="t short verdict-word holds"><bdi>confirmed</bdi>');
    expect(page).toContain('<td class="t short verdict-word fails"><bdi>refuted</bdi>');
  });

  it("sets short text that is all numbers at the right", () => {
    const look = (...cells: string[]) =>
      lookOf({ ...repeating, rows: cells.map((cell) => ["x", cell, ""]) }, 1);
    expect(look("-2.69 s", "–", "1.67×", "-73.4 percentage points", "0", "12,186", "3.09 MB/s")).toBe(
      "numbers",
    );
    expect(look("12 s", "61 % to 80 %")).toBe("short");
  });
});

describe("a column of text", () => {
  const look = (...cells: (string | number | null)[]) =>
    lookOf(
      {
        ...{ kind: "table", id: "t", caption: "" },
        columns: [{ key: "a", label: "A", unit: "text", about: "" }],
        rows: cells.map((cell) => [cell]),
      },
      0,
    );

  it("is set on one line where all of it is short, and in even cells where it is made of blocks", () => {
    expect(look("alice", "uid 1001", null)).toBe("short");
    expect(look("alice", "a sentence that is longer than a name")).toBeUndefined();
    expect(look("▁▂  █", "")).toBe("blocks");
    expect(look("▁▂  █", "31 users")).toBe("short");
  });
});

describe("a page", () => {
  const html = renderHtml(testDocument(), testParts({ script: 'const a = "</script>";\r\n', style: "b{}" }));
  const data = JSON.parse(/id="page-data">(.*?)<\/script>/s.exec(html)?.[1] ?? "") as PageData;

  it("contains no markup of a log", () => {
    expect(html.includes("<img")).toBe(false);
    expect(html.includes("</script><script>window")).toBe(false);
    expect(html.includes("&lt;img src=x onerror=&quot;window.pwned=1&quot;&gt;")).toBe(true);
    expect(/[\u0007\u202e]/.test(html)).toBe(false);
  });

  it("allows only the script with the hash of what the parser will see", () => {
    const script = 'const a = "<\\/script>";\n';
    expect(html.includes(`<script>${script}</script>`)).toBe(true);
    expect(html.includes(`script-src 'sha256-${testParts().sha256Base64(script)}'`)).toBe(true);
    expect(html.includes("default-src 'none'")).toBe(true);
    expect(/(?:href|src)="(?!#|data:)/.test(html)).toBe(false);
  });

  it("hands exact integers over as text, and names as they are beside how they are shown", () => {
    const files = data.tables.find((table) => table.id === "files");
    expect(files?.rows[0]).toEqual([
      { n: "18446744073709551615" },
      "/lustre/out/data.h5",
      500,
      { n: "9007199254740993" },
    ]);
    expect(files?.rows[3]).toEqual([{ n: "3" }, { t: HOSTILE, v: HOSTILE_SHOWN }, null, null]);
  });

  it("links to a file only when a table has it", () => {
    expect(html.includes('<a href="#file=18446744073709551615">')).toBe(true);
    expect(html.includes('<tr id="file=18446744073709551615">')).toBe(true);
    const alone = renderHtml(
      testDocument({
        sections: [
          { id: "a", title: "A", blocks: [{ kind: "findings", findings: [testFinding()], none: "" }] },
        ],
      }),
      testParts(),
    );
    expect(alone.includes("#file=")).toBe(false);
    expect(alone.includes("in the timeline")).toBe(false);
  });

  it("says what was not recorded, and cuts long tables with a note", () => {
    expect(html.includes('<p class="value none">not recorded</p>')).toBe(true);
    expect(/<noscript><p class="cut">The first \d+ of 5,000 rows/.test(html)).toBe(true);
  });

  it("keeps findings in the order that they came in, which is by cost, and opens the first", () => {
    const order = [...html.matchAll(/data-severity="(\w+)" data-finding="\d"( open)?/g)];
    expect(order.map((match) => `${match[1]}${match[2] ?? ""}`)).toEqual([
      ...["high open", "warn", "info", "warn", "info"],
    ]);
  });

  it("answers the four questions first, with the picture of the cause beside them and nowhere else", () => {
    const finding = testFinding({ figure: FIGURE });
    const page = renderHtml(
      testDocument({
        answers: ANSWERS,
        figure: FIGURE,
        sections: [
          { id: "findings", title: "Causes", blocks: [{ kind: "findings", findings: [finding], none: "" }] },
        ],
      }),
      testParts(),
    );
    expect(page).toContain("<h1>One slow target costs this job 760 of its 794 seconds.</h1>");
    expect(page).toContain('<a href="#finding-0"><b>Move the files</b></a>');
    expect(page).toContain("<b>760 s sooner</b>, 96 % of the run.");
    expect(page).toContain('style="--left:4.3%"');
    expect(page.match(/<figure /g)).toHaveLength(1);
    expect(page).toContain('<figure id="figure-sizes" class="proof"');
    const { markdown } = JSON.parse(/id="page-data">(.*?)<\/script>/s.exec(page)?.[1] ?? "") as PageData;
    expect(markdown).toContain("- Change first: Move the files");
  });

  it("marks time that another cause explains, and does not add it", () => {
    const cost = { ...testFinding().cost, seconds: 30, shareOfRun: 0.3, within: "small-writes" };
    const first = testFinding({ cost: { ...cost, seconds: 40, within: null } });
    const findings = [first, testFinding({ id: "other", cost })];
    const page = renderHtml(
      testDocument({
        sections: [{ id: "f", title: "F", blocks: [{ kind: "findings", findings, none: "" }] }],
      }),
      testParts(),
    );
    expect(page).toContain("<b>in the 40 s above</b><span>not added</span>");
    expect(page).toContain("<b>40 s · 30 %</b>");
  });

  it("leads to sections by tiles, and tells what was not recorded last, in a line", () => {
    const missing = { kind: "notice", level: "missing", text: "No traces.", how: "Record them." } as const;
    const text = { kind: "text", text: "x" } as const;
    const page = renderHtml(
      testDocument({
        sections: [
          { id: "overview", title: "Overview", blocks: [text] },
          { id: "calls", title: "Calls", blocks: [missing] },
          ...["a", "b", "c"].map((id) => ({ id, title: id, fact: `fact of ${id}`, blocks: [text] })),
        ],
      }),
      testParts(),
    );
    expect(page).toContain(
      '<a href="#calls"><div class="none"></div>Calls<span>not recorded; how to</span></a>',
    );
    expect(page).toContain("<span>fact of b</span>");
    expect(page.indexOf('<section id="calls" class="lacking"')).toBeGreaterThan(
      page.indexOf('<section id="c"'),
    );
  });

  it("of an empty document is still a page", () => {
    const empty = testDocument({ sections: [], facts: [], verdict: "", command: "" });
    expect(renderHtml(empty, testParts())).toContain("<h1 ");
    const nothing = { ...FILES, rows: [], columns: [] };
    const sections = [{ id: "x", title: "X", blocks: [nothing] }];
    expect(renderHtml(testDocument({ sections }), testParts())).toContain("<tbody>");
  });
});

it("a finding as Markdown cannot break out of its place", () => {
  const text = findingMarkdown(
    testFinding({
      title: "<b>*x*</b>",
      snippet: { language: "c\n#", code: "```\n# not a heading" },
      evidence: { ...testFinding().evidence, files: [{ fileId: "1", path: "/a`b\nc", note: "n" }] },
    }),
    formatValue,
  );
  expect(text).toContain("### High: \\<b\\>\\*x\\*\\</b\\> (`small-writes`)");
  expect(text).toContain("````c\n```\n# not a heading\n````");
  expect(text).toContain("- ``/a`b␊c`` – n");
});
