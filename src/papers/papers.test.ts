import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CHECKS } from "../adaptive/paper/checks.ts";
import { MISSED_BECAUSE } from "../adaptive/paper/missed.ts";
import { STUDY_ITEMS } from "../analyze/study/reuse/index.ts";
import { SYSTEM_ITEMS } from "../analyze/study/system/index.ts";
import { commands } from "../cli/index.ts";
import {
  PAPERS,
  paperResults,
  paperRows,
  papersDocument,
  papersJson,
  papersText,
  totalsOf,
} from "./index.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const BARE = paperRows({});
const itemsOf = (id: string) => PAPERS.find((paper) => paper.id === id)!.items;

describe("the list of items", () => {
  it("has every published number of both studies over a store once", () => {
    for (const [paper, items, repeated] of [
      ["reuse", STUDY_ITEMS, 3],
      ["system", SYSTEM_ITEMS, 1],
    ] as const) {
      // Statements without a number (said.B05.mostlyRead) and sums (all-jobs) are beside them.
      const numbers = itemsOf(paper).filter(({ id, kind }) => kind === "number" && /^[A-Z]\d\d\./.test(id));
      const published = items.reduce((sum, item) => sum + Object.keys(item.published).length, 0);
      expect(numbers.length).toBe(published - repeated);
    }
  });

  it("has every check of the replay", () => {
    const ids = new Set(itemsOf("adaptive").map(({ id }) => id));
    expect(CHECKS.filter(({ id }) => !ids.has(id))).toEqual([]);
    // Two sentences each, of checks that there are.
    for (const [id, why] of Object.entries(MISSED_BECAUSE)) {
      expect(ids, id).toContain(id);
      expect(why.match(/\.(?: |$)/g), id).toHaveLength(2);
    }
  });

  it("names an item once in its paper", () => {
    for (const { items } of PAPERS) expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
  });

  it("says where in its paper an item stands", () => {
    expect(
      BARE.filter(({ item }) => !/\d|[IV]|Abstract/.test(item.place)).map(({ item }) => item.id),
    ).toEqual([]);
  });

  it("leads to commands that exist", () => {
    const known = commands.map(({ name }) => `plimsoll ${name}`);
    const unknown = BARE.map(({ item }) => item.command)
      .filter((command) => command !== "")
      .filter((command) => !known.some((name) => command === name || command.startsWith(`${name} `)));
    expect(unknown).toEqual([]);
  });

  it("uses only options that its commands have", async () => {
    for (const command of new Set(BARE.map(({ item }) => item.command))) {
      if (command === "") continue;
      const entry = commands
        .filter(({ name }) => `${command} `.startsWith(`plimsoll ${name} `))
        .sort((a, b) => b.name.length - a.name.length)[0]!;
      const { options } = (await entry.load()).default;
      const used = [...command.matchAll(/--([a-z][a-z-]+)/g)].map(([, name]) => name);
      expect(
        used.filter((name) => !(name! in options)),
        command,
      ).toEqual([]);
    }
  });

  it("names tests and manuals that exist", () => {
    const tests = BARE.flatMap(({ answer }) => (answer.test === undefined ? [] : [answer.test]));
    const manuals = BARE.map(({ item }) => item.manual.replace(/#.*/, ""));
    expect([...tests, ...manuals].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it("names anchors of manuals that are there", () => {
    const missing = BARE.map(({ item }) => item.manual.split("#")).filter(
      ([path, anchor]) =>
        anchor !== undefined && !new RegExp(`^#+ ${anchor}$`, "im").test(read(path as string)),
    );
    expect(missing).toEqual([]);
  });

  it("names findings that the studies have", () => {
    const of = (folder: string) =>
      readdirSync(join(root, folder))
        .map((name) => read(join(folder, name)))
        .join("");
    const sources = {
      reuse: of("src/analyze/study/reuse/findings"),
      system: of("src/analyze/study/system/observations"),
    };
    for (const paper of ["reuse", "system"] as const) {
      const known = [...sources[paper].matchAll(/id: "([FO]\d\d)",\s+title: "([^"]+)"/g)].map(
        ([, id, title]) => [id, title],
      );
      const listed = itemsOf(paper).filter(({ id, kind }) => kind === "finding" && /^[FO]\d/.test(id));
      expect(listed.map(({ id, title }) => [id, title])).toEqual(
        known.sort((a, b) => (a[0]! < b[0]! ? -1 : 1)),
      );
    }
  });
});

/** What the papers number themselves, by the last number. */
const NUMBERED: readonly (readonly [paper: string, what: RegExp, last: number])[] = [
  ["reuse", /\bfig(?:ures?|\.) (\d+)/gi, 10],
  ["reuse", /\bfindings? (\d+)/gi, 10],
  ["metric", /\bfig(?:ures?|\.) (\d+)/gi, 12],
  ["metric", /\btable (\d)/gi, 2],
  ["adaptive", /\bfigs?\.? (\d+)/gi, 7],
  ["adaptive", /\balgorithm (\d)/gi, 3],
  ["system", /\bfig(?:ures?|\.) (\d+)/gi, 14],
  ["ncio", /\bfig\. (\d+)/gi, 6],
  ["ncio", /\bguideline (\d)/gi, 7],
];

it.each(NUMBERED)("has every numbered part of %s: %s to %d", (paper, what, last) => {
  const places = itemsOf(paper).map(({ place }) => place.toLowerCase());
  const found = new Set(
    places.flatMap((place) => [...place.matchAll(what)].map(([, number]) => Number(number))),
  );
  const all = Array.from({ length: last }, (_, i) => i + 1);
  expect(all.filter((number) => !found.has(number))).toEqual([]);
});

it("has Tables I to III of the system study, and Table I of the adaptive method", () => {
  const places = (paper: string) => itemsOf(paper).map(({ place }) => place.toLowerCase());
  for (const table of ["table i", "table ii", "table iii"]) expect(places("system")).toContain(table);
  expect(places("adaptive")).toContain("table i");
});

/** Numbers, tables, figures and claims that are easily left out, since no finding rests on them. */
const EASILY_LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  reuse: [
    ...["classes-and-runs", "producers", "A18.below2Hours", "said.A20.burstBufferShare", "fig-1", "A20.osts"],
    ...[
      "A03.shareOfBytes",
      "A04.bytes",
      "A08.readLongShare",
      "A08.readP80Hours",
      "violins",
      "said.A02.oneRun",
    ],
  ],
  metric: [
    ...["fig-1a", "fig-1b", "fig-1c", "fig-2", "2a.4096.executionSeconds", "2a.65536.executionSeconds"],
    ...[
      "records",
      "step-3",
      "cost",
      "iozone",
      "ior",
      "hpio",
      "optimisations",
      "time-4k",
      "time-64k",
      "table-2",
    ],
  ],
  adaptive: [
    ...["asynchronous", "staging", "split", "baseline-real", "opens", "franklin-xtp", "fig-4", "table-1"],
    ...["algorithm-1", "algorithm-2", "algorithm-3", "N1", "J4", "E1 deviation", "E4 deviation"],
  ],
  system: [
    ...["B01.totalCores", "B01.clockGhz", "B01.teraflops", "table-1", "table-2", "table-3", "unused-memory"],
    ...["hours", "B06.usersEfficientShare", "B06.users.perCallMean", "fig-1", "fig-11", "fig-14b"],
  ],
  ncio: [
    ...["one-sync", "blocking-sync", "flow", "S1", "S5", "S6", "S7", "S8", "S11", "S12", "S14", "S15"],
    ...[
      "count c-nc posix",
      "spacing nc-c posix",
      "cut",
      "late",
      "inside",
      "delayed-sync",
      "defaults",
      "ipars",
    ],
  ],
};

it.each(Object.entries(EASILY_LEFT_OUT))("lists what is easily left out of paper %s", (paper, ids) => {
  const known = new Set(itemsOf(paper).map(({ id }) => id));
  expect(ids.filter((id) => !known.has(id))).toEqual([]);
});

it("says where a number only follows from others, and gives the paper's own bounds", () => {
  const printed = (paper: string, id: string) => itemsOf(paper).find((one) => one.id === id)?.published;
  expect(printed("reuse", "A09.writeMean")).toBe("below 4");
  expect(printed("reuse", "A11.readMeanBytes")).toContain("follows from 4.7 PB");
  expect(printed("reuse", "F03")).toContain("80 %, over 50 h");
  expect(printed("system", "B01.fileSystemBytes")).toBe("15 PiB");
  expect(printed("system", "O05")).toContain("more than 53 %");
});

describe("without results", () => {
  it("judges nothing but what arithmetic decides", () => {
    const judged = BARE.filter(({ answer }) => answer.verdict !== "");
    expect(judged.every(({ answer }) => answer.origin === "computed")).toBe(true);
    const open = BARE.filter(({ answer }) => answer.verdict === "" && answer.test === undefined);
    const others = open.filter(({ answer }) => !/^no (study|replay|sweep) was given$/.test(answer.because));
    expect(others.map(({ item }) => item.id)).toEqual([
      "limits",
      "write-runs",
      "period",
      "season",
      "drive",
      "cost",
      "cluster",
      "output",
      "capacities",
      "samples",
      "mpi-trends",
      "platform",
    ]);
  });

  it("has a command for every item, and a verdict, a test or a reason", () => {
    for (const { paper, item, answer } of BARE) {
      const name = `${paper.id} ${item.id}`;
      expect(item.command, name).not.toBe("");
      expect(item.title.trim(), name).not.toBe("");
      expect(item.place.trim(), name).not.toBe("");
      expect(answer.because.trim(), name).not.toBe("");
      expect(answer.verdict !== "" && answer.test !== undefined, name).toBe(false);
    }
  });

  it("counts each statement once, by paper and in all", () => {
    const { totals, papers } = papersJson({ results: {} }) as {
      totals: ReturnType<typeof totalsOf>;
      papers: { totals: ReturnType<typeof totalsOf> }[];
    };
    const sum = (of: "items" | "groups" | "here" | "shown" | "notJudged") =>
      papers.reduce((all, one) => all + one.totals[of], 0);
    for (const of of ["items", "groups", "here", "shown", "notJudged"] as const)
      expect(sum(of)).toBe(totals[of]);
    expect(totals.items).toBe(BARE.length);
    expect(totals.groups).toBeGreaterThanOrEqual(227);
  });

  it("counts what it lists", () => {
    const { items, kinds, shown, verdicts, notJudged } = totalsOf(BARE);
    expect(Object.values(kinds).reduce((a, b) => a + b, 0)).toBe(items);
    expect(shown + notJudged + Object.values(verdicts).reduce((a, b) => a + b, 0)).toBe(items);
    const text = papersText({}, 100, (line) => [line]);
    expect(text.match(/^[^\s].*\((?:component|algorithm|figure|table|finding|number), /gm)?.length).toBe(
      items,
    );
  });
});

describe("with results", () => {
  const study = {
    study: "reuse",
    origin: { synthetic: 0, of: 10, unit: "runs", share: 0 },
    items: {
      A01: { values: { bytes: "12800000000000000000", logs: 12 } },
      A05: { values: { readWriteShare: 0.6 } },
      A08: { values: { readMeanHours: null } },
    },
    findings: [
      {
        id: "F01",
        verdict: "confirmed",
        reason: "Holds here.",
        measured: 0.6,
        claims: [{ key: "A05.readWriteShare", state: "holds", measured: 0.6 }],
      },
      { id: "F03", verdict: "insufficient", reason: "Not enough data.", measured: null, claims: [] },
    ],
    figures: [{ id: "figure-10a-variation-of-data" }, { id: "figure-5a-inter-arrival" }],
  };
  const answers = (value: unknown) => {
    const results = paperResults([{ source: "study.json", report: "study/report.html", value }]);
    return new Map(paperRows(results).map(({ paper, item, answer }) => [`${paper.id} ${item.id}`, answer]));
  };

  it("shows values, and the verdict of the claim that rests on a number", () => {
    const found = answers(study);
    expect(found.get("reuse A05.readWriteShare")).toMatchObject({
      here: "60 %",
      verdict: "confirmed",
      because: "claim of F01",
      origin: "measured",
      link: "study/report.html#table-a05-values",
    });
    expect(found.get("reuse F01")).toMatchObject({ verdict: "confirmed", here: "60 %" });
    expect(found.get("reuse A01.bytes")).toMatchObject({ here: "12.8 EB", verdict: "" });
    expect(found.get("reuse F03")).toMatchObject({ verdict: "", because: "Not enough data." });
    expect(found.get("reuse A08.readMeanHours")).toMatchObject({ here: "", verdict: "" });
  });

  it("finds the figures that were drawn, and no others", () => {
    const found = answers(study);
    expect(found.get("reuse fig-10a")?.link).toBe("study/report.html#figure-figure-10a-variation-of-data");
    expect(found.get("reuse fig-1")?.here).toBe("");
    expect(found.get("reuse fig-2")?.here).toBe("");
  });

  it("says partly where only some of the data was generated", () => {
    const found = answers({ ...study, origin: { synthetic: 3, of: 10 } });
    expect(found.get("reuse F01")?.verdict).toBe("reproduced on partly synthetic data");
    const all = answers({ ...study, origin: { synthetic: 10, of: 10 } });
    expect(all.get("reuse F01")?.verdict).toBe("reproduced on synthetic data");
  });

  it("never says confirmed of generated data", () => {
    const found = [...answers({ ...study, origin: { synthetic: 3, of: 10 } }).values()];
    // What follows by arithmetic needs no data.
    const judged = found.filter(({ origin }) => origin !== "computed");
    expect(judged.some(({ verdict }) => verdict === "confirmed")).toBe(false);
    expect(found.filter(({ verdict }) => verdict === "reproduced on partly synthetic data").length).toBe(2);
    const results = paperResults([{ source: "s", value: { ...study, origin: { synthetic: 3, of: 10 } } }]);
    expect(papersDocument({ results, command: "", madeBy: "" }).verdict).toMatch(/^Partly synthetic data: /);
  });

  it("shows the checks of a replay", () => {
    const checks = [
      { id: "I2", verdict: "met", measured: "1 to 2 MB/s" },
      { id: "I3", verdict: "not run", measured: null },
    ];
    const found = answers({ simulated: true, checks });
    expect(found.get("adaptive I2")).toMatchObject({
      verdict: "met",
      here: "1 to 2 MB/s",
      origin: "simulated",
    });
    expect(found.get("adaptive I3")?.verdict).toBe("");
    expect(found.get("adaptive I4 ")).toBeUndefined();
  });

  it("refuses what is no result, and two of the same", () => {
    const given = (value: unknown) => () => paperResults([{ source: "x.json", value }]);
    for (const value of [null, 3, [], {}, { study: "reuse" }, { study: "reuse", items: {}, findings: [{}] }])
      expect(given(value)).toThrow(/^x\.json: /);
    const twice = [study, study].map((value, i) => ({ source: `${i}.json`, value }));
    expect(() => paperResults(twice)).toThrow(
      "1.json: a second result of the same study; 0.json is the first",
    );
  });

  it("prints JSON with a null for what is not known", () => {
    const json = papersJson({ results: {} }) as {
      items: { paper: string; measured: unknown; verdict: unknown; group: string }[];
      totals: { groups: number };
    };
    expect(PAPERS.map(({ id }) => json.items.filter(({ paper }) => paper === id).length)).toEqual(
      PAPERS.map(({ items }) => items.length),
    );
    expect(json.items[0]).toMatchObject({ measured: null, verdict: null });
    expect(Object.keys(json.items[0] ?? {})).toEqual(
      expect.arrayContaining(["paper", "id", "item", "command", "published", "measured", "verdict"]),
    );
    expect(new Set(json.items.map(({ paper, group }) => `${paper} ${group}`)).size).toBe(json.totals.groups);
  });
});
