/** Files whose names are not UTF-8: ingested, reported and measured as any other. */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inside, program } from "../../src/cli/darshan/test-kit.ts";
import { fsPath, isRaw, rawNames, pathText } from "../../src/node/raw-path.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/darshan", import.meta.url));
const latin = (text: string) => pathText(Buffer.from(text, "latin1"));

let folder: string;
let logs: string;
let first: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-raw-"));
  logs = join(folder, "logs");
  const deeper = join(logs, latin("d\xff"));
  mkdirSync(fsPath(deeper), { recursive: true });
  first = join(logs, latin("r\xe9sultat.darshan"));
  writeFileSync(fsPath(first), readFileSync(join(FIXTURES, "mpiio4_dxt.darshan")));
  // The same string for Node, and another file.
  writeFileSync(fsPath(join(logs, latin("r\xe8sultat.darshan"))), "no log");
  writeFileSync(fsPath(join(deeper, "é.darshan")), readFileSync(join(FIXTURES, "files1000_dxt.darshan")));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("names as bytes", () => {
  it("come back from their strings, and UTF-8 stays as it is", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const path = pathText(bytes);
        expect(Buffer.from(fsPath(path) as string)).toEqual(Buffer.from(bytes));
        if (!isRaw(path)) expect(path).toBe(Buffer.from(bytes).toString());
      }),
    );
    for (const text of ["é", "\u{1f400}", "\ufffd", "\ufeffa", "a/b"]) {
      expect(pathText(Buffer.from(text))).toBe(text);
      expect(fsPath(text)).toBe(text);
    }
    expect(rawNames(logs).sort()).toEqual(
      [latin("d\xff"), latin("r\xe8sultat.darshan"), latin("r\xe9sultat.darshan")].sort(),
    );
  });

  it("lead ingest to the files of a folder, below folders of such names too", async () => {
    const outcome = await inside("ingest", logs, "--store", join(folder, "store"), "--json");
    expect(outcome.code).toBe(3);
    const counts = JSON.parse(Buffer.from(outcome.out, "latin1").toString("utf8"));
    expect(counts).toMatchObject({ new: 2, skippedTotal: 1 });
    expect(counts.skipped[0].reason).toMatch(/unknown format/);
    const again = await inside("ingest", logs, "--store", join(folder, "store"), "--json");
    expect(JSON.parse(Buffer.from(again.out, "latin1").toString("utf8"))).toMatchObject({ new: 0, known: 2 });
  });

  it("lead report, bps and darshan parse to the file, and are printed with a sign in their place", async () => {
    for (const words of [["report"], ["bps"], ["darshan", "parse"]]) {
      const { code, err } = await inside(...words, first);
      expect({ code, err }).toEqual({ code: 0, err: "" });
    }
    const bps = await inside("bps", "--json", logs);
    expect(bps.code, bps.err).toBe(0);
  });

  it("that DuckDB would have to open are refused in one line", async () => {
    const store = join(folder, latin("st\xe9"));
    const { code, err } = await inside("ingest", first, "--store", store);
    expect(code).toBe(2);
    expect(err).toMatch(/^plimsoll: .*DuckDB cannot open a name that is not UTF-8; rename [^\n]*\n$/);
  });
});

it("on a real command line are taken from the system", () => {
  // A shell makes the byte, since Node gives its children UTF-8.
  const script = `exec "$0" "$1" darshan parse "$2"/r$(printf '\\351')sultat.darshan`;
  const { status, stdout } = spawnSync("sh", ["-c", script, process.execPath, program, logs]);
  expect(status).toBe(0);
  expect(stdout.toString("latin1")).toContain("# exe: ");
  const missing = `exec "$0" "$1" darshan parse "$2"/$(printf '\\351')`;
  const refused = spawnSync("sh", ["-c", missing, process.execPath, program, logs]);
  expect(refused.status).toBe(1);
  expect(refused.stderr.toString()).toMatch(
    /^plimsoll: cannot read .*: no such file \(not every command can open a name that is not UTF-8/,
  );
});
