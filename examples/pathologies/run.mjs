#!/usr/bin/env node
// Runs the programs flawed and mended, and compares what mending gains with what `plimsoll findings` says.
// node run.mjs [--output FILE] [--repeats N] [--traces FOLDER] [--tiny] [PROGRAM...]

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, Missing } from "./build.mjs";
import { Bench, stop } from "./measure.mjs";
import { programs } from "./programs.mjs";
import { noThrottling, openStorage } from "./storage.mjs";
import { summary, table } from "./table.mjs";

const say = (text) => process.stderr.write(`pathologies: ${text}\n`);

function readWords() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      output: { type: "string", short: "o", default: "results.json" },
      repeats: { type: "string", default: "3" },
      traces: { type: "string" },
      tiny: { type: "boolean", default: false },
    },
  });
  const repeats = Number(values.repeats);
  if (!Number.isInteger(repeats) || repeats < 1)
    throw new Error(`--repeats ${values.repeats} is no number of runs`);
  const known = programs.map(({ name }) => name);
  const unknown = positionals.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`unknown program ${unknown} (have: ${known.join(", ")})`);
  const chosen = programs.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  return { ...values, repeats, chosen };
}

/** In a checkout the project's own script installs compilers and libraries, where it can. */
async function ensureTools() {
  const script = new URL("../../scripts/components.mjs", import.meta.url);
  if (!existsSync(script)) return;
  const { ensureComponents } = await import(script.href);
  ensureComponents({ names: ["C compiler", "Python", "strace", "MPI", "HDF5", "h5py"] });
}

/** One row for each way to record. */
async function measure(program, work, { tiny, repeats, throttled, traces }) {
  const built = build(program, work);
  const storage = await openStorage(program, join(work, "storage"), throttled);
  try {
    const bench = new Bench(program, built, storage, tiny ? program.tiny : undefined);
    const times = await bench.times(repeats);
    const rows = [];
    for (const input of program.strace ? ["record", "strace"] : ["record"]) {
      const trace = join(traces ?? work, `${program.name}.${input}`);
      rows.push(rowOf(program, times, input, await bench.findings(input, trace), throttled));
    }
    return rows;
  } finally {
    await storage.close();
  }
}

function rowOf(program, { flawed, mended }, input, { seconds, findings }, throttled) {
  const trueGainSeconds = flawed.median - mended.median;
  const predictedSeconds = findings[0]?.cost?.seconds ?? null;
  const first = findings[0]?.id ?? null;
  return {
    program: program.name,
    cause: program.cause,
    change: program.change,
    ranks: program.ranks ?? 1,
    storage: throttled ? "throttled" : "plain",
    flawedSeconds: flawed,
    mendedSeconds: mended,
    trueGainSeconds,
    input,
    recordedSeconds: seconds,
    firstFinding: first,
    namesCause: program.rules.includes(first),
    predictedSeconds,
    factor: predictedSeconds === null ? null : predictedSeconds / trueGainSeconds,
    findings: findings.map(({ id, severity, cost }) => ({ id, severity, seconds: cost?.seconds ?? null })),
  };
}

async function main() {
  const options = readWords();
  await ensureTools();
  const reason = noThrottling();
  if (reason !== undefined)
    say(`storage is not throttled (${reason}): gains are those of the file system of ${tmpdir()}`);
  if (options.traces !== undefined) mkdirSync(options.traces, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), "plimsoll-pathologies-"));
  const rows = [];
  try {
    for (const program of options.chosen) {
      say(`${program.name}: ${program.cause}`);
      const folder = join(work, program.name);
      mkdirSync(folder);
      try {
        rows.push(...(await measure(program, folder, { ...options, throttled: reason === undefined })));
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        say(`${program.name} is left out: ${error.message}`);
      }
      rmSync(folder, { recursive: true, force: true });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  writeFileSync(options.output, `${JSON.stringify(rows, null, 1)}\n`);
  console.log(`${table(rows)}\n\n${summary(rows)}`);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.once(signal, () => {
    process.exitCode = 1;
    stop();
  });
}

try {
  await main();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
