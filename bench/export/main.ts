/**
 * `npm run bench export`: a million traced calls as every format, whole commands, beside a short Python script that writes
 * the same trace events from CSV, in turns.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { manyCalls } from "../darshan/inputs.ts";

const [root = "."] = process.argv.slice(2);
const TURNS = Number(process.env.PLIMSOLL_BENCH_TURNS ?? 3);
const PEER = `
import csv, json, sys
out = open(sys.argv[2], "w")
out.write('{"traceEvents":[')
first = True
for row in csv.DictReader(open(sys.argv[1], newline="")):
    start, end = float(row["start"]), float(row["end"])
    event = {"ph": "X", "name": row["op"], "cat": row["layer"], "pid": int(row["rank"]) + 1, "tid": 1,
             "ts": start * 1e6, "dur": (end - start) * 1e6,
             "args": {"file": row["file"], "bytes": int(row["bytes"]), "offset": int(row["offset"])}}
    out.write(("" if first else ",") + json.dumps(event))
    first = False
out.write("]}")
`;

interface Measured {
  readonly seconds: number;
  /** Of all its threads, in the system too: on a busy machine it says more. */
  readonly cpuSeconds: number;
}

function timed(command: readonly string[]): Measured {
  const notes = join(work, "time");
  const child = spawnSync("/usr/bin/time", ["-o", notes, "-f", "%e %U %S", ...command], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr.trim());
  const [seconds = 0, user = 0, system = 0] = readFileSync(notes, "utf8").trim().split(" ").map(Number);
  return { seconds, cpuSeconds: user + system };
}

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  const log = join(work, "run.darshan");
  writeFileSync(log, manyCalls());
  writeFileSync(join(work, "peer.py"), PEER);
  const plimsoll = [process.execPath, join(root, "bin", "plimsoll"), "export", log];
  const outputs = [
    ["perfetto", "run.json"],
    ["perfetto", "run.json.gz"],
    ["speedscope", "run.speedscope.json"],
    ["csv", "run.csv"],
    ["parquet", "run.parquet"],
  ] as const;
  const times = new Map<string, Measured[]>();
  const keep = (name: string, one: Measured) => times.set(name, [...(times.get(name) ?? []), one]);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [to, name] of outputs) keep(name, timed([...plimsoll, "--to", to, "-o", join(work, name)]));
    const peer = [join(work, "peer.py"), join(work, "run.csv"), join(work, "peer.json")];
    keep("peer.json", timed([process.env.PYTHON ?? "python3", ...peer]));
  }
  const median = (name: string, value: (one: Measured) => number) =>
    (times.get(name) ?? []).map(value).sort((a, b) => a - b)[TURNS >> 1] as number;
  const cpu = (name: string) => median(name, ({ cpuSeconds }) => cpuSeconds);
  console.log(
    `${cpus()[0]?.model ?? "?"}, Node ${process.version}; ${TURNS} turns, medians; 1,001,472 calls; peer.json: Python`,
  );
  console.log("output\tMB\tseconds\tCPU seconds\tCPU of Python / this");
  for (const name of times.keys())
    console.log(
      [
        name,
        (statSync(join(work, name)).size / 1e6).toFixed(0),
        median(name, ({ seconds }) => seconds).toFixed(2),
        cpu(name).toFixed(2),
        (cpu("peer.json") / cpu(name)).toFixed(1),
      ].join("\t"),
    );
} finally {
  rmSync(work, { recursive: true, force: true });
}
