/** docs/guides/add-a-format.md, followed to the letter in a copy of the sources: every fitting command reads the format. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hasBrowser, launch, openPage } from "../page/kit.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let copy: string;

/** Code blocks of the guide in a language, without their indentation in the list. */
function blocks(language: string): string[] {
  const guide = readFileSync(join(root, "docs/guides/add-a-format.md"), "utf8");
  return [...guide.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)]
    .filter(([, , own]) => own === language)
    .map(([, indent = "", , text = ""]) => text.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
}

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "plimsoll-guide-"));
  for (const name of [
    "src",
    "web",
    "scripts",
    "bin",
    "docs",
    "native",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "biome.json",
  ])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const [format = "", line = "", entry = ""] = blocks("ts");
  mkdirSync(join(copy, "src/formats/beacon"));
  writeFileSync(join(copy, "src/formats/beacon/format.ts"), format);
  const path = join(copy, "src/formats/catalogue.ts");
  const catalogue = readFileSync(path, "utf8");
  const first = "export const CATALOGUE: readonly InputFormat[] = [\n";
  expect(catalogue).toContain(first);
  writeFileSync(path, `${line}${catalogue.replace(first, `${first}${entry}`)}`);
  writeFileSync(join(copy, "trace.txt"), blocks("")[0] ?? "");
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function run(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(copy, "bin/plimsoll"), ...words], {
    ...{ cwd: copy, encoding: "utf8" },
  });
  return { code: status, out: stdout, err: stderr.replace(/^plimsoll: building.*\n/, "") };
}

it("gives a format that bps, report, findings, diff and export read", () => {
  const bps = run("bps", "trace.txt", "--json");
  expect({ code: bps.code, err: bps.err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(bps.out)).toMatchObject({ accesses: 1, bytes: 2 ** 20, ioTimeSeconds: 0.004 });
  expect(run("report", "trace.txt").out).toMatch(/Recorded by +beacon trace/);
  const { job, metrics } = JSON.parse(run("findings", "trace.txt", "--json").out);
  expect(job).toMatchObject({ ranks: 1, startUnixSeconds: 1_700_000_000 });
  expect(metrics).toMatchObject({ bytesWritten: 2 ** 20, files: 1 });
  expect(run("diff", "trace.txt", "trace.txt").code).toBe(0);
  expect(run("bps", "--format", "beacon", "trace.txt").code).toBe(0);
  expect(run("export", "trace.txt", "-o", "calls.csv").code).toBe(0);
  expect(readFileSync(join(copy, "calls.csv"), "utf8")).toMatch(
    /\n[^\n]*\/scratch\/out[^\n]*write[^\n]*1048576/,
  );
}, 120_000);

it("gives a format that other commands know by name", () => {
  const says = "this is a beacon trace; use plimsoll report, findings, diff, bps or export";
  for (const words of [["lustre", "parse"], ["darshan", "parse"], ["results"], ["ls"]])
    expect(run(...words, "trace.txt")).toMatchObject({ code: 1, err: `plimsoll: trace.txt: ${says}\n` });
}, 120_000);

it("gives a format that programs read with the library", () => {
  const program = `import { jobSummary, readJob } from "./dist/analyze.js";
    console.log(String(jobSummary(await readJob(["trace.txt"])).metrics.bytesWritten));`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    ...{ cwd: copy, encoding: "utf8" },
  });
  expect(stdout).toBe(`${2 ** 20}\n`);
}, 120_000);

it.skipIf(!hasBrowser)(
  "gives a format that the drop page reads",
  async () => {
    expect(run("page", "-o", "page.html").code).toBe(0);
    const browser = await launch();
    const open = await openPage(browser, join(copy, "page.html"));
    await open.drop([join(copy, "trace.txt")]);
    await open.report();
    expect(JSON.parse(await open.save("json")).metrics).toMatchObject({ bytesWritten: 2 ** 20, files: 1 });
    expect(open.trouble).toEqual([]);
    await browser.close();
  },
  120_000,
);

it("leaves generated documents as they are", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(copy, "scripts/docs.mjs"), "--check"], {
    ...{ cwd: copy, encoding: "utf8" },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
}, 120_000);

it("is formatted as the others are", () => {
  const { status, stderr } = spawnSync(
    join(root, "node_modules/.bin/biome"),
    ["ci", "--error-on-warnings", "--colors=off", "src/formats/beacon", "src/formats/catalogue.ts"],
    { cwd: copy, encoding: "utf8" },
  );
  expect(stderr).toMatch(/^Checked 2 files .*No fixes applied/);
  expect(status).toBe(0);
}, 120_000);

it("is typed as the compiler wants it", () => {
  const project = join(copy, "guide.json");
  writeFileSync(
    project,
    JSON.stringify({ extends: "./tsconfig.json", include: ["src/formats/catalogue.ts"] }),
  );
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", project],
    { encoding: "utf8" },
  );
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
}, 120_000);
