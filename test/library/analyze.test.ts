// The package as other programs see it: its exports, their types, and the example that the docs show.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const log = join(root, "test", "fixtures", "darshan", "mpiio4_dxt.darshan");
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entries = Object.keys(exports).filter((name) => !name.endsWith(".json"));
let folder: string;

function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, program), ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-library-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("examples/library/findings.mjs", () => {
  const example = "examples/library/findings.mjs";

  it("says what the commands say", () => {
    // The command also brings the build up to date.
    const { findings, job } = JSON.parse(run("bin/plimsoll", "findings", log, "--json"));
    run("bin/plimsoll", "report", log, "-o", "command.html");
    const lines = run(example, "own.html", log).trimEnd().split("\n");
    expect(findings.length).toBeGreaterThan(0);
    expect(lines.slice(0, -1)).toEqual(
      findings.map(
        ({ severity, id, statement }: Record<string, string>) => `${severity} ${id}: ${statement}`,
      ),
    );
    expect(JSON.parse(lines.at(-1) as string)).toEqual(job);
    const [own, command] = ["own.html", "command.html"].map((name) => sections(join(folder, name)));
    expect(own).toEqual(command);
    expect(own?.length).toBeGreaterThan(10);
  });

  it("is what docs/library.md shows", () => {
    const text = readFileSync(join(root, example), "utf8");
    expect(readFileSync(join(root, "docs", "library.md"), "utf8")).toContain(`\`\`\`js\n${text}\`\`\``);
  });
});

describe("the entries of the package", () => {
  it("are all in docs/library.md", () => {
    const page = readFileSync(join(root, "docs", "library.md"), "utf8");
    for (const name of entries) expect(page).toContain(`\`${name.replace(".", "plimsoll")}\``);
  });

  it("have types that a strict program of another package can use", () => {
    // Inside the project, so that the compiler finds the types of Node.
    const other = mkdtempSync(join(root, "node_modules", ".plimsoll-types-"));
    try {
      const installed = join(other, "node_modules", "plimsoll");
      mkdirSync(installed, { recursive: true });
      copyFileSync(join(root, "package.json"), join(installed, "package.json"));
      run(
        "scripts/tool.mjs",
        "tsc",
        "-p",
        join(root, "tsconfig.types.json"),
        "--outDir",
        join(installed, "dist/types"),
      );
      for (const name of entries) expect(existsSync(join(installed, exports[name].types)), name).toBe(true);
      writeFileSync(join(other, "package.json"), `{ "type": "module" }`);
      writeFileSync(join(other, "program.ts"), PROGRAM);
      const options = "--ignoreConfig --noEmit --strict --module nodenext --target es2023 --types node".split(
        " ",
      );
      run(
        "scripts/tool.mjs",
        "tsc",
        ...options,
        "--typeRoots",
        join(root, "node_modules/@types"),
        join(other, "program.ts"),
      );
    } finally {
      rmSync(other, { recursive: true });
    }
  });
});

/** Uses something of every entry; where types are missing or `any`, a line is an error. */
const PROGRAM = `
import { openAdaptive } from "plimsoll/adaptive";
import { type Finding, jobSummary, readJob, renderPage, reportDocument } from "plimsoll/analyze";
import { bytesSource, DarshanLog } from "plimsoll/formats";
import { SEVERITIES } from "plimsoll/model";
import { nodeCodecs } from "plimsoll/node";

export async function findingsOf(path: string): Promise<readonly Finding[]> {
  const read = await readJob([path], { keepGoing: true }, { skip: (name, reason) => console.log(name, reason) });
  const page: string = renderPage(reportDocument(read, { madeBy: "us", command: path }));
  const ranks: number = jobSummary(read).job.ranks;
  // @ts-expect-error Who made a report is not optional.
  reportDocument(read, {});
  // @ts-expect-error There is no such severity.
  SEVERITIES.indexOf("low");
  return page.length > ranks ? read.verdicts.findings : [];
}
export const log = new DarshanLog(bytesSource(new Uint8Array(8)), { codecs: nodeCodecs });
// @ts-expect-error A dataset has a path.
export const writer = openAdaptive();
`;

/** The sections of a page, without its last, which names program and command. */
function sections(path: string): string[] {
  return (readFileSync(path, "utf8").match(/<section.*?<\/section>/gs) ?? []).slice(0, -1);
}
