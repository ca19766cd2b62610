import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, expect, it } from "vitest";
import { jobSummary } from "../analyze/job/index.ts";
import { holdPipes } from "./held-pipes.ts";
import { nodeHost, readJob } from "./node.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-pipes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fixture = (name: string) => fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));
let pipes = 0;

/** A named pipe that gives the bytes once, as `<(command)` does. */
function pipeOf(bytes: Uint8Array): string {
  const [source, pipe] = [join(folder, `${++pipes}.bytes`), join(folder, `${pipes}.pipe`)];
  writeFileSync(source, bytes);
  spawnSync("mkfifo", [pipe]);
  spawn("sh", ["-c", 'cat "$0" > "$1"', source, pipe], { stdio: "ignore" });
  return pipe;
}

it.each([
  ["a log", "darshan/mpiio4_dxt.darshan", (bytes: Uint8Array) => bytes],
  ["a gzip'd log", "darshan/mpiio4_dxt.darshan", gzipSync],
  ["strace text", "accesses/named.strace", (bytes: Uint8Array) => bytes],
  ["gzip'd strace text", "accesses/named.strace", gzipSync],
])("%s through a pipe is the same job as the file", async (_, name, packed) => {
  const pipe = pipeOf(packed(readFileSync(fixture(name))));
  const summary = async (path: string) => {
    const { job, ...rest } = jobSummary(await readJob([path]));
    return { ...rest, job: { ...job, logs: [] } };
  };
  expect(await summary(pipe)).toEqual(await summary(fixture(name)));
});

it("refuses a pipe beyond the bound, and a table that a database reads", async () => {
  const { host, paths } = holdPipes([pipeOf(new Uint8Array(100_000))], nodeHost, 65_536);
  expect(() => host.open(paths[0] as string)).toThrow(
    "more than 65.5 kB from a pipe; save the input to a file",
  );
  await expect(host.readTable?.(paths[0] as string, {} as never, 0, async () => {})).rejects.toThrow(
    "a Parquet table cannot be read from a pipe; save it to a file",
  );
});

it("names standard input, and takes it once", () => {
  expect(holdPipes(["a", "-"], nodeHost).paths).toEqual(["a", "stdin"]);
  expect(() => holdPipes(["-", "-"], nodeHost)).toThrow("standard input (-) is named more than once");
});
