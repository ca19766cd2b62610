/** `npm run bench report`: a report as a user makes it, from a cold shell, against PyDarshan's summary in the same run. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { makeSingle, SINGLE_LOGS } from "../../src/generate/single/index.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";
import { benchInputs, manyCalls, manyFiles } from "../darshan/inputs.ts";

const [root = "."] = process.argv.slice(2);
const TURNS = 5;
/** A peer that takes longer is stopped and said to. */
const PATIENCE_MS = 300_000;

interface Measured {
  readonly seconds: number;
  readonly peakMb: number;
  readonly outputMb: number;
}

/** Wall time and peak memory of a whole command, as /usr/bin/time sees them. */
function measure(
  command: readonly string[],
  output: string,
  env: Record<string, string> = {},
): Measured | string {
  const notes = `${output}.time`;
  const child = spawnSync("/usr/bin/time", ["-o", notes, "-f", "%e %M", ...command], {
    encoding: "utf8",
    timeout: PATIENCE_MS,
    env: { ...process.env, ...env },
  });
  if (child.error !== undefined) return `more than ${PATIENCE_MS / 1000} s`;
  if (child.status !== 0) return `failed: ${child.stderr.trim().split("\n").at(-1)}`;
  const [seconds = 0, kib = 0] = readFileSync(notes, "utf8").trim().split(" ").map(Number);
  return { seconds, peakMb: kib / 1024, outputMb: statSync(output).size / 1e6 };
}

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  const pydarshan = process.env.PYDARSHAN;
  const library = process.env.DARSHAN_UTIL;
  const python = process.env.PYTHON ?? "/usr/bin/python3";
  console.log(
    `${cpus()[0]?.model ?? "?"}, Node ${process.version}; ${TURNS} turns, medians (range); whole commands`,
  );
  if (pydarshan === undefined) console.log("no PyDarshan: set PYDARSHAN and DARSHAN_UTIL for its summary");
  console.log("log\tMB\tours s\tMB\tHTML MB\tPyDarshan s\tMB\tHTML MB\tratio of times\tof memory");
  for (const [label, path, turns] of inputs()) {
    const ours: Measured[] = [];
    const theirs: (Measured | string)[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const page = join(work, "ours.html");
      const one = measure(
        [process.execPath, join(root, "bin", "plimsoll"), "report", path, "-o", page],
        page,
      );
      if (typeof one === "string") throw new Error(`report of ${label} ${one}`);
      ours.push(one);
      // One turn of a peer that takes minutes is enough to see it.
      const last = theirs.at(-1);
      if (pydarshan === undefined || typeof last === "string" || (last?.seconds ?? 0) > 30) continue;
      const other = join(work, "theirs.html");
      theirs.push(
        measure([python, "-m", "darshan", "summary", path, "--output", other], other, {
          PYTHONPATH: pydarshan,
          LD_LIBRARY_PATH: library === undefined ? "" : join(library, "lib"),
        }),
      );
    }
    print(label, statSync(path).size / 1e6, ours, theirs);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

function inputs(): [label: string, path: string, turns: number][] {
  const store = (name: string, bytes: Uint8Array) => {
    const path = join(work, `${name}.darshan`);
    writeFileSync(path, bytes);
    return path;
  };
  const single = (id: string) => {
    const log = SINGLE_LOGS.find((one) => one.id === id);
    if (log === undefined) throw new Error(`no log ${id}`);
    return store(id, makeSingle(log, 1, nodeEncoders).bytes);
  };
  const large = benchInputs(process.env.PLIMSOLL_BENCH_INPUTS ?? join(work, "inputs"));
  const path = (id: string) => large.find((input) => input.id === id)?.paths[0] as string;
  return [
    ["64 ranks, 1 file, heat map", single("straggler"), TURNS],
    ["64 ranks, 5 files, 1,280 traced calls", single("control"), TURNS],
    ["16,384 ranks", single("many-ranks"), TURNS],
    ["1 M traced calls, 256 ranks", store("traced", manyCalls()), 3],
    ["100,000 files", path("files"), 3],
    ...(process.env.PLIMSOLL_BENCH_MILLION === "1" ? [million()] : []),
  ];
}

/** Takes minutes to make; kept beside the other inputs where a folder for them is given. */
function million(): [label: string, path: string, turns: number] {
  const path = join(process.env.PLIMSOLL_BENCH_INPUTS ?? work, "files-million.darshan");
  if (!existsSync(path)) writeFileSync(path, manyFiles(1_000_000));
  return ["1 M files", path, 3];
}

function print(
  label: string,
  megabytes: number,
  ours: readonly Measured[],
  theirs: readonly (Measured | string)[],
): void {
  const known = theirs.filter((one): one is Measured => typeof one !== "string");
  const failed = theirs.find((one): one is string => typeof one === "string");
  const cells = (list: readonly Measured[]) =>
    list.length === 0
      ? [failed ?? "-", "-", "-"]
      : [
          `${median(list.map(({ seconds }) => seconds)).toFixed(2)} (${range(list.map(({ seconds }) => seconds))})`,
          median(list.map(({ peakMb }) => peakMb)).toFixed(0),
          median(list.map(({ outputMb }) => outputMb)).toFixed(2),
        ];
  const ratio = (value: (one: Measured) => number) =>
    known.length === 0 ? "-" : (median(known.map(value)) / median(ours.map(value))).toFixed(1);
  console.log(
    [
      label,
      megabytes.toFixed(2),
      ...cells(ours),
      ...cells(known),
      ratio(({ seconds }) => seconds),
      ratio(({ peakMb }) => peakMb),
    ].join("\t"),
  );
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function range(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)}`;
}
