/** Tries a recorder on a small program (native/recorder-probe.c) whose accesses are known. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Operation } from "../model/index.ts";
import { type Environment, ShimUnavailable } from "./compiler.ts";
import { readTraceFile } from "./read-folder.ts";
import { writeFile } from "../node/write-file.ts";

/** Bytes asked for, bytes that came back, and the operation. */
const EXPECTED = [
  [0, 0, Operation.open],
  [103, 103, Operation.read],
  [104, 1, Operation.read],
  [105, 105, Operation.read],
  [107, 107, Operation.read],
  [1001, 1001, Operation.write],
  [1002, 1002, Operation.write],
  [1006, 1006, Operation.write],
];

interface Trial {
  readonly shim: string;
  /** The compiled native/recorder-probe.c. */
  readonly probe: string;
  /** Where files may be left. */
  readonly work: string;
  readonly env: Environment;
}

export function testShim({ shim, probe, work, env }: Trial): void {
  const folder = join(work, "trace");
  mkdirSync(folder);
  writeFile(join(folder, "options"), `only=${join(work, "data")}\n`);
  const { status, signal, error } = spawnSync(probe, [join(work, "data")], {
    env: { ...env, LD_PRELOAD: shim, PLIMSOLL_RECORD: folder },
    stdio: "ignore",
    timeout: 30_000,
  });
  if (status !== 0)
    throw new ShimUnavailable(
      `the recorder was built, but its test program failed with ${error?.message ?? signal ?? status}`,
    );
  const seen = recordedIn(folder);
  if (JSON.stringify(seen) !== JSON.stringify(EXPECTED))
    throw new ShimUnavailable(
      `the recorder was built, but its self-test recorded ${JSON.stringify(seen)} instead of ${JSON.stringify(EXPECTED)}`,
    );
}

/** The reads, the writes and the open. */
function recordedIn(folder: string): [number, number, number][] {
  const seen: [number, number, number][] = [];
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".plt"))) {
    readTraceFile(join(folder, name), {
      clock() {},
      process: () => 0,
      file: () => 0,
      note() {},
      block({ count, bytes, movedBytes, operation }) {
        for (let i = 0; i < count; i++)
          if ((operation[i] as number) <= Operation.open)
            seen.push([bytes[i] as number, movedBytes?.[i] as number, operation[i] as number]);
      },
    });
  }
  return seen.sort((a, b) => a[0] - b[0]);
}
