/** Commands that the program prints: bash takes each for exactly the words that were meant, and runs nothing else. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { commands } from "../../src/cli/index.ts";
import { runCli } from "../../src/cli/run.ts";
import { fakeWorld } from "../../src/cli/test-kit.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LOG = join(root, "test/fixtures/darshan/mpiio4_dxt.darshan");
const folder = mkdtempSync(join(tmpdir(), "plimsoll-paste-"));
const before = process.cwd();
const NAMES = [
  "a $(touch pwned) b",
  "-dash `touch pwned`",
  "new\nline",
  "it's; touch pwned",
  '"$HOME"  x\u202e',
];

beforeAll(() => {
  process.chdir(folder);
  vi.stubEnv("DISPLAY", "");
  vi.stubEnv("WAYLAND_DISPLAY", "");
  for (const name of NAMES) cpSync(LOG, join(folder, `${name}.darshan`));
});
afterAll(() => {
  process.chdir(before);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function plimsoll(...words: string[]) {
  const world = fakeWorld();
  const code = await runCli(words, commands, world);
  return { code, text: world.out + world.err };
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&#39;": "'",
  "&quot;": '"',
  "&lt;": "<",
  "&gt;": ">",
  "&amp;": "&",
};

/** The command that a page ends with. */
function footer(path: string): string {
  const html = /To recreate it:.*?<code>(.*?)<\/code>/s.exec(readFileSync(path, "utf8"))?.[1] ?? "";
  return html.replace(/&(#39|quot|lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? "");
}

/** Commands in what was printed. */
const printed = (text: string): string[] =>
  [...text.matchAll(/^(?:Full \w+: | +|)((?:plimsoll|scp|ssh) [^\n]*)$/gm)].map(([, line]) => line as string);

/** What bash runs for a line: the program and its words, without running it. */
function asBash(line: string): string[][] {
  expect(spawnSync("bash", ["-n", "-c", line], { encoding: "utf8" }).stderr).toBe("");
  const programs = ["plimsoll", "scp", "ssh", "xdg-open", "python3"];
  const functions = programs.map((name) => `${name}() { printf '%s\\0' ${name} "$@"; printf '\\1\\0'; }`);
  const { stdout, stderr } = spawnSync("bash", ["-c", `${functions.join("\n")}\n${line}`], {
    ...{ cwd: folder, encoding: "utf8" },
  });
  expect({ line, stderr }).toEqual({ line, stderr: "" });
  expect(existsSync(join(folder, "pwned"))).toBe(false);
  return stdout
    .split("\x01\0")
    .slice(0, -1)
    .map((one) => one.split("\0").slice(0, -1));
}

/** The only command of a text. */
function wordsIn(text: string): string[] {
  const lines = printed(text);
  expect(lines, text).toHaveLength(1);
  return asBash(lines[0] as string)[0] as string[];
}

describe.each(NAMES)("with the name %j", (name) => {
  const log = `${name}.darshan`;
  const files = log.startsWith("-") ? ["--", log] : [log];

  it("report, diff and bps print the command as it was given, and where the whole of it goes", async () => {
    const kept = ["--include", "*", "-t", "small-writes.share=0.2", "--keep-going"];
    expect(wordsIn((await plimsoll("report", ...kept, ...files)).text)).toEqual([
      ...["plimsoll", "report", ...kept],
      ...(files.length > 1 ? ["-o", "report.html", ...files] : [...files, "-o", "report.html"]),
    ]);
    const twice = [...files, log];
    expect(wordsIn((await plimsoll("diff", ...twice)).text).sort()).toEqual(
      ["plimsoll", "diff", ...twice, "-o", "diff.html"].sort(),
    );
    expect(wordsIn((await plimsoll("bps", "--block", "4K", ...files)).text).sort()).toEqual(
      ["plimsoll", "bps", "--block", "4K", ...files, "-o", "bps.html"].sort(),
    );
  });

  it("the footer of a page is the command that made it", async () => {
    const page = join(folder, `${name}.html`);
    for (const words of [
      ["report", "-o", page, ...files],
      ["diff", "-o", page, ...files, log],
      ["bps", "-o", page, ...files],
      ["bps", "--rank", "-o", page, ...files, log],
      ["top", "runs", "-o", page, ...files],
      ["sim", "run", "jaguar", "--writers", "8", "-o", page],
    ]) {
      expect(await plimsoll(...words)).toMatchObject({ code: 0 });
      expect(asBash(footer(page))).toEqual([["plimsoll", ...words]]);
    }
  });

  it("open says how to get the page to a browser", async () => {
    const page = join(folder, name, "r", `${name}.html`);
    mkdirSync(dirname(page), { recursive: true });
    const [copy, served] = printed((await plimsoll("open", "-o", page, ...files)).text);
    const [scp, shown] = asBash(copy as string);
    expect(scp?.[1]?.replace(/^[^:]*:/, "")).toBe(page);
    expect(shown).toEqual(["xdg-open", name.startsWith("-") ? `./${name}.html` : `${name}.html`]);
    const remote = asBash(served as string)[0]?.at(-1) ?? "";
    expect(asBash(remote)[0]).toEqual([
      ...["python3", "-m", "http.server", "-b", "localhost", "-d", dirname(page), "8000"],
    ]);
  });

  it("what a generator says to do next", async () => {
    const made = join(folder, name, "single");
    const [words] = printed((await plimsoll("generate", "single", "-o", made)).text).map(asBash);
    expect(words?.[0]?.slice(0, 4)).toEqual(["plimsoll", "darshan", "parse", "--perf"]);
    expect(readdirSync(made)).toContain(words?.[0]?.at(-1)?.slice(made.length + 1));
  });
});

it("messages name the store as it is", async () => {
  const store = join(folder, `${NAMES[0]}.store`);
  expect(await plimsoll("ingest", LOG, "--store", store)).toMatchObject({ code: 0 });
  expect(wordsIn((await plimsoll("study", "reuse", "--store", store)).text)).toEqual([
    ...["plimsoll", "study", "reuse", "--store", store, "-o", "study"],
  ]);
  const { text } = await plimsoll("file", "nobody $(touch pwned)", "--store", store);
  const search = / names: (plimsoll .*); see plimsoll file --help\n$/.exec(text)?.[1] ?? "";
  expect(asBash(search)[0]?.slice(0, 4)).toEqual(["plimsoll", "sql", "--store", store]);
});

it("what nobody can repeat is told in words", async () => {
  const many = Array.from({ length: 100 }, () => join(root, "test/fixtures/darshan/mpiio4_dxt.darshan"));
  expect((await plimsoll("bps", ...many)).text).toMatch(
    /\nFull report: the same command with -o bps\.html\n/,
  );
});

/** Places whose words no user chose. */
const KNOWN = ["src/cli/cluster/study.ts", "src/demo/index.ts", "src/papers/metric.ts"];

it("every command in the source that names something quotes it", () => {
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/\.(test|bench|docs)\.ts$/.test(path))
    .map((path) => `src/${path}`);
  const names =
    "report|findings|diff|bps|open|export|file|job|who|top|compare|ingest|study|store|sql|results|targets|collect|darshan|generate|lustre|sim what-if";
  const bare = new RegExp(`plimsoll (${names}) [^\`\\n]*\\$\\{(?!shellWord\\()`);
  const found = sources.filter((path) => bare.test(readFileSync(join(root, path), "utf8")));
  expect(found.sort()).toEqual(KNOWN);
});
