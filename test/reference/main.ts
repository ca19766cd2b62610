// `npm run reference -- [--count N] [--seed S] [LOG…]`: our text against darshan-parser and darshan-dxt-parser
// themselves, installed where DARSHAN_UTIL says. First logs that our writer made of every module in every shape, then
// mutated logs that we can read, then the logs named. Differences that the reference is known for are counted apart.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bytesSource } from "../../src/base/source.ts";
import { TextWriter } from "../../src/base/text-writer.ts";
import { writeDxt } from "../../src/formats/darshan/dxt-text.ts";
import { DarshanLog } from "../../src/formats/darshan/log.ts";
import { writeParse } from "../../src/formats/darshan/text.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";
import { everyModuleLog, SHAPES } from "../formats/every-module.ts";
import { mutate } from "../fuzz/mutate.ts";
import { loadSeedLogs } from "../fuzz/seed-logs.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    root: { type: "string", default: "." },
    count: { type: "string", default: "300" },
    seed: { type: "string", default: "1" },
  },
});
const util = process.env.DARSHAN_UTIL;
if (util === undefined) {
  console.error("set DARSHAN_UTIL to the folder where darshan-util is installed");
  process.exit(2);
}
process.env.TZ = "UTC";

type Kind = "parse" | "dxt";
const counts = { same: 0, refused: 0, known: 0, different: 0 };
const work = mkdtempSync(join(tmpdir(), "plimsoll-reference-"));
try {
  for (const [index, shape] of SHAPES.entries()) {
    // The reference has no APXC, does not check stripe layouts of traces, and crashes on a byte-swapped partial flag.
    const modules = ({ name }: { readonly name: string }) => !["APXC", "NULL", "LUSTRE"].includes(name);
    const whole = shape.bigEndian === true;
    compare(
      everyModuleLog(500 + index, { ...shape, tame: true, modules, whole }).bytes,
      `written ${JSON.stringify(shape)}`,
    );
  }
  report("logs of every module, written in every shape");
  const data = process.env.PLIMSOLL_DATA ?? join(values.root, "..", "shared", "data");
  const seeds = loadSeedLogs([
    join(data, "darshan", "public"),
    join(values.root, "test", "fixtures", "darshan"),
  ]);
  for (let index = 0, read = 0; read < Number(values.count); index++) {
    const { bytes, description } = mutate(seeds, Number(values.seed), index, { bombShare: 0 });
    if (!sensible(bytes)) continue;
    read++;
    compare(bytes, `mutant ${index}: ${description}`);
  }
  report(`${values.count} mutants that can be read`);
  for (const path of positionals) compare(readFileSync(path), path);
  if (positionals.length > 0) report(`${positionals.length} logs named`);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function report(what: string): void {
  const { same, refused, known, different } = counts;
  console.log(
    `${what}: ${same} outputs the same, ${known} with known faults of the reference only, ${different} different, ${refused} where the reference failed`,
  );
  if (different > 0) process.exitCode = 1;
  Object.assign(counts, { same: 0, refused: 0, known: 0, different: 0 });
}

function open(bytes: Uint8Array, plainBytesMax = 2 ** 32): DarshanLog {
  return new DarshanLog(bytesSource(bytes, "log"), {
    codecs: nodeCodecs,
    limits: { plainBytesMax },
  });
}

/** We can read it, and its number of processes is one that the reference can work with. */
function sensible(bytes: Uint8Array): boolean {
  try {
    const log = open(bytes, 4 << 20);
    void log.names;
    for (const entry of log.modules) {
      for (const _ of log.records(entry));
      for (const _ of log.segments(entry));
    }
    return log.job.nprocs > 0n && log.job.nprocs < 1_000_000n;
  } catch {
    return false;
  }
}

function ours(log: DarshanLog, kind: Kind): string[] {
  const parts: Buffer[] = [];
  const out = new TextWriter((bytes) => void parts.push(Buffer.from(bytes)));
  const stop = (_: unknown, error: unknown) => {
    throw error;
  };
  if (kind === "dxt") writeDxt(log, out, stop);
  else writeParse(log, { base: true, total: true, file: true, perf: true }, out, stop);
  out.flush();
  return dataLines(Buffer.concat(parts));
}

function dataLines(text: Buffer): string[] {
  return text
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "" && !/^(#|APXC\t|NULL\t)/.test(line));
}

function compare(bytes: Uint8Array, what: string): void {
  const path = join(work, "log.darshan");
  writeFileSync(path, bytes);
  for (const kind of ["parse", "dxt"] as const) {
    const log = open(bytes);
    const found = ours(log, kind);
    const [tool, option] =
      kind === "dxt" ? ["darshan-dxt-parser", "--show-incomplete"] : ["darshan-parser", "--all"];
    const reference = spawnSync(join(util as string, "bin", tool as string), [option as string, path], {
      maxBuffer: 1 << 28,
    });
    if (reference.status !== 0 || reference.stderr.includes("Error")) {
      counts.refused++;
      continue;
    }
    const expected = dataLines(reference.stdout);
    const differing =
      found.length === expected.length ? found.filter((line, i) => line !== expected[i]) : found;
    if (differing.length === 0 && found.length === expected.length) counts.same++;
    else if (
      found.length === expected.length &&
      found.every((line, i) => line === expected[i] || isKnown(line, expected[i] ?? "", kind, log))
    )
      counts.known++;
    else if (hasMovedSlot(log)) counts.known++;
    else {
      counts.different++;
      const first = found.findIndex(
        (line, i) => line !== expected[i] && !isKnown(line, expected[i] ?? "", kind, log),
      );
      console.log(
        `${what}\n  ${tool}: ${expected[first]?.slice(0, 160)}\n  ours:   ${found[first]?.slice(0, 160)}`,
      );
    }
  }
}

/** Faults of darshan-util 3.5.0, by the line they show in. */
function isKnown(line: string, expected: string, kind: Kind, { header }: DarshanLog): boolean {
  // A name that replaces an empty one is lost; OSTs behind dropped components are moved over each other.
  if (expected.endsWith("\t(null)\tUNKNOWN\tUNKNOWN") || /\tLUSTRE_COMP\d+_OST_ID_/.test(line)) return true;
  // Threads of byte-swapped traces.
  if (kind === "dxt") return header.bigEndian;
  if (/\tLUSTRE_COMP\d+_FLAGS\t/.test(line)) return true;
  // Variances of POSIX 3 are lost; three times below POSIX 4 are not swapped, and a size that follows from them.
  if (/POSIX_F_VARIANCE_RANK_/.test(line)) return true;
  if (!header.bigEndian) return false;
  return /POSIX_(F_META_TIME|F_MAX_(READ|WRITE)_TIME|MAX_(READ|WRITE)_TIME_SIZE)|^D(FS|AOS)\t|\tH5D_FILE_REC_ID\t|\tPNETCDF_FILE_OPENS\t|^# |FASTEST|SLOWEST/.test(
    line,
  );
}

/** Slots that old formats do not assign: the reference moves them onto modules of today and reads them as such. */
function hasMovedSlot(log: DarshanLog): boolean {
  return log.header.minor < 41 && log.modules.some((entry) => entry.spec === undefined);
}
