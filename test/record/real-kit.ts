/** Runs a real program plain, recorded and under strace, in the same folder, and compares all that can be seen of it. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ensureShim } from "../../src/record/shim.ts";
import { listFolder, readFolder, straceBytes, type Workshop, writtenAndRead } from "./kit.ts";
import { putFiles, type RealProgram } from "./real-programs.ts";

const has = (program: string) => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
export const isThere = ({ needs }: RealProgram) => needs.every(has);

function freshFolder(shop: Workshop, program: RealProgram): string {
  const folder = shop.path("run");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  putFiles(folder, program);
  return folder;
}

/** Names, kinds, permissions and contents of all that a program has left. */
const leftIn = (folder: string) =>
  listFolder(folder).map((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path);
    const content = stat.isSymbolicLink()
      ? readlinkSync(path)
      : stat.isFile()
        ? createHash("sha256").update(readFileSync(path)).digest("hex")
        : "";
    return [name, stat.mode, stat.nlink, content];
  });

function runIn(folder: string, { script }: RealProgram, extra: Readonly<Record<string, string>>) {
  const { status, signal, stdout, stderr } = spawnSync("bash", ["-c", script], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C", ...extra },
  });
  return { status, signal, stdout, stderr, left: leftIn(folder) };
}

/** The recorded calls, once everything else was found to be the same. */
export function recordedAsPlain(shop: Workshop, program: RealProgram) {
  const plain = runIn(freshFolder(shop, program), program, {});
  const trace = shop.path("trace");
  rmSync(trace, { recursive: true, force: true });
  mkdirSync(trace);
  const folder = freshFolder(shop, program);
  writeFileSync(join(trace, "options"), `only=${folder}\n`);
  const recorded = runIn(folder, program, { LD_PRELOAD: ensureShim().path, PLIMSOLL_RECORD: trace });
  expect(recorded).toEqual(plain);
  return { ...readFolder(trace), folder };
}

/** Bytes per file and direction, recorded and by strace. */
export function bothBytes(shop: Workshop, program: RealProgram) {
  const { accesses, folder } = recordedAsPlain(shop, program);
  freshFolder(shop, program);
  const env = { ...process.env, LC_ALL: "C" };
  const traced = straceBytes(shop, ["bash", "-c", program.script], folder, { env });
  return { recorded: moving(writtenAndRead(accesses, folder)), traced: moving(traced.bytes) };
}

/** Files of which bytes moved. */
const moving = (bytes: ReturnType<typeof writtenAndRead>) =>
  Object.fromEntries(Object.entries(bytes).filter(([, { read, written }]) => read + written > 0));

/** The same without names: for programs that make names of chance. */
export const sums = (bytes: ReturnType<typeof writtenAndRead>) =>
  Object.values(bytes).reduce(
    (sum, { read, written }) => ({ read: sum.read + read, written: sum.written + written }),
    { read: 0, written: 0 },
  );
