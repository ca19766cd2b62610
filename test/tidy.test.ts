/** What a walk through the house would find: names that nobody asks for, paths that lead nowhere, words that nobody says. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { commands } from "../src/cli/index.ts";
import { type Exported, exportsOf, importsOf, isTest, sourceFiles, userOf } from "./tidy-exports.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const sources = ["src", "web", "test", "bench"].flatMap((folder) => sourceFiles(join(root, folder)));
const product = sources.filter((path) => userOf(relative(root, path)) === "product");
const documents = [
  ...["README.md", "CONTRIBUTING.md"].map((name) => join(root, name)),
  ...["docs", "src", "web", "examples"].flatMap((folder) => markdown(join(root, folder))),
];

/** Exported for their tests, and used in their own file: what is hard to see from outside. */
const TESTED: Readonly<Record<string, readonly string[]>> = {
  "src/serve/http.ts": ["LIMITS"],
  "src/serve/index.ts": ["SiteOptions"],
  "src/serve/known-answers.ts": ["roughBytes"],
  "src/adaptive/backend/memory.ts": ["memoryFiles"],
  "src/adaptive/sim/experiments/series.ts": ["Bench"],
  "src/adaptive/sim/host/run.ts": ["AdaptiveOptions"],
  "src/adaptive/paper/replay/parts.ts": ["ONLY_NAMES", "PARTS"],
  "src/adaptive/sim/storage/rates.ts": ["efficiency"],
  "src/adaptive/sim/storage/world.ts": ["WorldSetting"],
  "src/adaptive/sim/what-if/fit.ts": ["isHeldOut"],
  "src/adaptive/steps/repeats.ts": ["secondsSpread"],
  "src/adaptive/steps/replay-policies.ts": ["policyCells", "policyText"],
  "src/adaptive/steps/replay-tradeoff.ts": ["largeText", "smallText", "tradeoffText"],
  "src/analyze/job/compare-document.ts": ["compareVerdict"],
  "src/analyze/job/sections/findings.ts": ["unjudgedText"],
  "src/analyze/job/snippets/entry.ts": ["Entry", "Variant", "Variants", "codeOf", "snippetOf"],
  "src/analyze/job/snippets/shell.ts": ["shellPath", "shellWord"],
  "src/analyze/load/quiet.ts": ["coinTail"],
  "src/analyze/metric/access-metrics.ts": ["AccessColumns"],
  "src/analyze/study/common/judge.ts": ["verdictOf"],
  "src/analyze/study/metric/findings.ts": ["directionOf"],
  "src/analyze/study/reuse/cluster.ts": ["threeCentres"],
  "src/base/extremes.ts": ["AmountSum"],
  "src/base/intervals.ts": ["UnionLength"],
  "src/base/words.ts": ["signedNumber"],
  // The package maker (scripts/dist.mjs) calls it.
  "src/cli/man.ts": ["manPages"],
  "src/cli/study/metric.ts": ["chosenSets"],
  "src/cluster/scripts.ts": ["shellWords"],
  "src/collect/metrics/http.ts": ["SERVE_LIMITS"],
  "src/collect/server/collector.ts": ["CollectorOptions"],
  "src/collect/server/run.ts": ["untilNextMs"],
  "src/formats/bp/slabs.ts": ["boxesOf"],
  "src/formats/darshan/modules/index.ts": ["bgq", "daos", "dfs", "pnetcdfVar"],
  "src/formats/influx/csv.ts": ["csvCells"],
  "src/formats/strace/calls.ts": ["CALLS"],
  "src/formats/strace/files.ts": ["isNonfile"],
  "src/generate/reuse/calendar.ts": ["LONG_DAY"],
  "src/generate/reuse/counters.ts": ["rankAt", "rankBytes", "rankSeconds"],
  "src/generate/single/index.ts": ["randomOf"],
  "src/generate/single/single-log.ts": ["FINDINGS"],
  "src/generate/sitewide/entry.ts": ["RELEASES"],
  "src/generate/sitewide/index.ts": ["generateSeries"],
  "src/generate/sitewide/live.ts": ["LiveOptions"],
  "src/ingest/index.ts": ["IngestOptions"],
  "src/launch/mpi/files.ts": ["Direction"],
  "src/launch/mpi/library.ts": ["candidates"],
  "src/model/tables.ts": ["Row"],
  "src/ncio/pattern/encoding.ts": ["checkDatatype"],
  "src/ncio/pattern/pieces.ts": ["DataRange"],
  "src/ncio/run/content.ts": ["byteAt"],
  "src/ncio/run/summary.ts": ["countingTurns"],
  "src/ncio/servers/client/storage.ts": ["ClientOptions"],
  "src/node/thread-pool.ts": ["ThreadPoolOptions"],
  "src/node/zlib.ts": ["wholeZlib"],
  "src/plot/theme.ts": ["THEMES", "ThemeName"],
  "src/record/experiment/data-files.ts": ["neededFiles"],
  "src/record/experiment/programs.ts": ["libraryName"],
  "src/record/experiment/run.ts": ["delayWords", "wordsOf"],
  "src/record/launch.ts": ["RecordOptions"],
  "src/studies/reuse.ts": ["keepFiles", "databaseBytes"],
  "src/studies/metric-runs.ts": ["KeptRuns"],
  "src/store/batch.ts": ["ROW_GROUP_ROWS"],
  "src/store/export.ts": ["exportTable"],
  "src/store/hooks.ts": ["StorePoint", "onStorePoint"],
  "src/store/layout.ts": ["timeOf"],
  "src/store/overlaps.ts": ["cutStretches"],
  "src/store/session.ts": ["Session"],
};

/** Words that no engineer at a centre would say. */
const WORDS = [
  ...["so many", "anew", "known here", "(go|goes|going|gone) on with", "of one's own", "(its|their) kin"],
  ...["unless (told|said)", "thereof", "is no (store|text|object|job id|date|page)", "least and greatest"],
  // Names of types that say nothing.
  "(?:interface|type) (?:Asked|Given|Told|Means|Swept)",
];

/** Files that are made by whoever follows a guide. */
const MADE_BY_GUIDES = [
  "src/formats/beacon/format.ts",
  "src/formats/beacon/beacon.test.ts",
  "src/analyze/study/reuse/a21-data-per-selected-file.ts",
];

/** Assertions per 1,000 lines where a broken invariant would travel. */
const DENSITY = 15;
const ASSERTED = ["src/adaptive/protocol", "src/adaptive/runtime", "src/adaptive/sim", "src/store"];

const LINES_MAX = 450;

describe("exports", () => {
  const all = exportsOf(root, ["src", "web", "test", "bench"]).filter(
    ({ file }) => !isTest(file) && !/\.(docs|bench)\.ts$|^src\/library\//.test(file),
  );
  const unused = all.filter(({ users }) => users.size === 0);
  // Tests may enter a folder by its face, too.
  const testOnly = all.filter(
    ({ users, isReExport }) => users.size > 0 && !users.has("product") && !isReExport,
  );
  const nameOf = ({ file, name }: Exported) => `${file} ${name}`;

  it("are imported by somebody", () => {
    expect(unused.map(nameOf)).toEqual([]);
  });

  it("that only tests import are in a test kit, or named here", () => {
    const found = testOnly.map(nameOf);
    const named = Object.entries(TESTED).flatMap(([file, names]) => names.map((name) => `${file} ${name}`));
    expect(found.sort()).toEqual(named.sort());
  });
});

describe("the product", () => {
  it("imports no test kit", () => {
    const found = product.flatMap((path) =>
      importsOf(path)
        .map((from) => relative(root, from))
        .filter(isTest)
        .map((file) => `${relative(root, path)} imports ${file}`),
    );
    expect(found).toEqual([]);
  });

  it(`has no file of more than ${LINES_MAX} lines`, () => {
    expect(product.filter((path) => linesOf(path) > LINES_MAX).map((path) => relative(root, path))).toEqual(
      [],
    );
  });

  it.each(ASSERTED)(`asserts ${DENSITY} invariants per 1,000 lines in %s`, (folder) => {
    const files = product.filter((path) => path.startsWith(join(root, folder, "/")));
    const lines = files.reduce((sum, path) => sum + linesOf(path), 0);
    const asserts = files.reduce(
      (sum, path) =>
        sum + (readFileSync(path, "utf8").match(/\bassert\(|\bnew AssertionError\(/g)?.length ?? 0),
      0,
    );
    expect((1000 * asserts) / lines).toBeGreaterThanOrEqual(DENSITY);
  });
});

describe("documents", () => {
  it("name files that exist, or that a guide makes", () => {
    const found = documents.flatMap((path) =>
      deadPaths(path)
        .filter((dead) => !MADE_BY_GUIDES.includes(dead))
        .map((dead) => `${relative(root, path)}: ${dead}`),
    );
    expect(found).toEqual([]);
  });

  it("and sources name no manual that is not there", () => {
    const found = [...documents, ...product].flatMap((path) =>
      [...readFileSync(path, "utf8").matchAll(/\b[A-Z]{4,}\.md\b/g)]
        .filter(([name]) => !existsSync(join(root, name)))
        .map(([name]) => `${relative(root, path)}: ${name}`),
    );
    expect(found).toEqual([]);
  });

  it("name commands that exist", () => {
    const found = documents.flatMap((path) =>
      unknownCommands(readFileSync(path, "utf8")).map((command) => `${relative(root, path)}: ${command}`),
    );
    expect(found).toEqual([]);
  });

  it("and sources have no word that nobody says", () => {
    const word = new RegExp(`\\b(?:${WORDS.join("|")})\\b`, "gi");
    const found = [...documents, ...product].flatMap((path) => {
      const flowing = readFileSync(path, "utf8").replace(/\s*\n[\s*/]*/g, " ");
      return (flowing.match(word) ?? []).map((one) => `${relative(root, path)}: ${one}`);
    });
    expect(found).toEqual([]);
  });
});

/** Links, and files in code: by their path from the root or the document, or by the end of it. `x` is yours to choose. */
function deadPaths(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
    .map((match) => match[1] as string)
    .filter((link) => !/^[a-z]+:/.test(link));
  const named = [...text.matchAll(/`((?:[\w.-]+\/)+(?:[\w.-]+\.(?:ts|mjs|c|json|md))?)`/g)]
    .map((match) => match[1] as string)
    .filter((file) => /^(src|test|web|docs|bench|scripts|native)\/|\.(ts|mjs|c)$/.test(file))
    .filter((file) => !/\/x[/.]/.test(file));
  const isThere = (file: string) => [dirname(path), root].some((place) => existsSync(join(place, file)));
  return [
    ...links.filter((link) => !isThere(link)),
    ...named.filter((file) => !isThere(file) && !sources.some((source) => source.endsWith(`/${file}`))),
  ];
}

/** `plimsoll x y` in code whose words are no command and no group of commands. */
function unknownCommands(text: string): string[] {
  const names = commands.map(({ name }) => name);
  const code = [...text.matchAll(/^```[\s\S]*?^```|`[^`\n]+`/gm)].map(([part]) => part).join("\n");
  const used = [
    ...code.matchAll(/(?<![\w/"-])(?:\.\/bin\/)?plimsoll ([a-z][a-z-]*)(?: ([a-z][a-z-]*)\b(?![.\w/=-]))?/g),
  ];
  const unknown = used.filter(([, first = "", second]) => {
    const group = names.filter((name) => name === first || name.startsWith(`${first} `));
    if (group.length === 0) return first !== "help";
    return (
      second !== undefined &&
      !group.some((name) => name === first || `${name} `.startsWith(`${first} ${second} `))
    );
  });
  return [...new Set(unknown.map(([all]) => all))];
}

function linesOf(path: string): number {
  return readFileSync(path, "utf8").split("\n").length - 1;
}

function markdown(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name))
    .sort();
}
