/** `npm run bench write`: the writer against its ideal, the simulator, dd, and what root can do to a device. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, release, tmpdir } from "node:os";
import { join } from "node:path";
import { devices, removeDevices } from "./devices.ts";
import { againstDd, large } from "./disk.ts";
import { type Bench, print, stopChildren, TURNS } from "./kit.ts";
import { noSlowTarget, slowTarget } from "./rates.ts";

/** Folder of the project; given by scripts/bench.mjs. */
const [root = "."] = process.argv.slice(2);

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  slow: slowTarget,
  even: noSlowTarget,
  dd: againstDd,
  large,
  devices,
};

const wanted = (process.env.PLIMSOLL_BENCH_PARTS ?? Object.keys(PARTS).join(",")).split(",");
const unknown = wanted.find((name) => !(name in PARTS));
if (unknown !== undefined) {
  print(`PLIMSOLL_BENCH_PARTS: unknown part ${unknown} (have: ${Object.keys(PARTS).join(", ")})`);
  process.exit(2);
}

const folder = process.env.PLIMSOLL_BENCH_FOLDER ?? tmpdir();
mkdirSync(folder, { recursive: true });
const work = mkdtempSync(join(folder, "plimsoll-bench-"));
const inMemory = existsSync("/dev/shm");
const memory = inMemory ? mkdtempSync("/dev/shm/plimsoll-bench-") : work;
const bench: Bench = {
  program: join(root, "dist", "main.js"),
  work,
  memory,
  memoryName: inMemory ? "files in memory (tmpfs)" : "files on the disk",
};

function clear(): void {
  stopChildren();
  removeDevices();
  for (const path of [work, memory]) rmSync(path, { recursive: true, force: true });
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    clear();
    process.exit(130);
  });

const kind = spawnSync("findmnt", ["--noheadings", "--output", "FSTYPE,SOURCE", "--target", work], {
  encoding: "utf8",
}).stdout?.trim();
print(
  `machine: ${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Linux ${release()}, node ${process.version}; ${kind} at ${folder}; medians of ${TURNS} interleaved turns`,
);
try {
  for (const name of wanted) {
    print();
    const began = performance.now();
    await PARTS[name]?.(bench);
    print(`  (${name}: ${((performance.now() - began) / 1000).toFixed(0)} s)`);
  }
} finally {
  clear();
}
