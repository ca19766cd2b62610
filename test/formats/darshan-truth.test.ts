// Our parse and dxt text against what darshan-parser and darshan-dxt-parser 3.5.0 printed for real logs.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../src/base/source.ts";
import { TextWriter } from "../../src/base/text-writer.ts";
import { writeDxt } from "../../src/formats/darshan/dxt-text.ts";
import { DarshanLog } from "../../src/formats/darshan/log.ts";
import { writeParse } from "../../src/formats/darshan/text.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";
import { hasPublicData, referenceLogs, referenceText } from "../reference-data.ts";

// ctime prints local time, and the truth was made in this zone.
process.env.TZ = "UTC";

const KINDS = {
  base: { base: true, total: false, file: false, perf: false },
  total: { base: false, total: true, file: false, perf: false },
  perf: { base: false, total: false, file: false, perf: true },
  all: { base: true, total: true, file: true, perf: true },
} as const;

/** Output as Latin-1, so that every byte counts. */
function ours(path: string, kind: keyof typeof KINDS | "dxt"): string[] {
  const log = new DarshanLog(bytesSource(readFileSync(path), path), { codecs: nodeCodecs });
  const parts: Buffer[] = [];
  const out = new TextWriter((bytes) => void parts.push(Buffer.from(bytes)), 4096);
  const onDamage = (_: unknown, error: unknown) => {
    throw error;
  };
  if (kind === "dxt") writeDxt(log, out, onDamage);
  else writeParse(log, KINDS[kind], out, onDamage);
  out.flush();
  return Buffer.concat(parts).toString("latin1").split("\n");
}

const isData = (line: string) => line !== "" && !line.startsWith("#");

/**
 * Comment lines that carry values: the job, the mounts, counts and performance. The size of the header is left
 * out: the reference names that of its own struct (1328), whatever the file has.
 */
const CARRIES =
  /^# (darshan log version|compression method|exe|uid|jobid|start_time|start_time_asci|end_time|end_time_asci|nprocs|run time|metadata|job data|record table|[^ ]+ module|<UNKNOWN> module .id \d+.|mount entry|total|read_only|write_only|read_write|unique|shared|total_bytes|unique files|shared files|agg_time_by_slowest|agg_perf_by_slowest):|^# DXT,/;
const isValue = (line: string) => CARRIES.test(line) || line.startsWith("#\t[Component");

/** APXC has no truth: the reference was built without it. */
const hasTruth = (line: string) => !line.startsWith("APXC\t");

/**
 * Where the reference is wrong and we follow the bytes (the format's known faults of darshan-util 3.5.0):
 * version 3 POSIX records lose their variances when upgraded; of byte-swapped POSIX records below version 4
 * three times stay unswapped; a command line that leaves no room for mounts is printed as empty.
 */
const VARIANCES = /^POSIX\t.*\tPOSIX_F_VARIANCE_RANK_(TIME|BYTES)\t/;
const UNSWAPPED = /^(POSIX\t.*\t|total_)POSIX_F_(META_TIME|MAX_READ_TIME|MAX_WRITE_TIME)(\t|: )/;
const REFERENCE_IS_WRONG: Record<string, readonly RegExp[]> = {
  "mpi-io-test-ppc64-3.0.1": [UNSWAPPED],
  "mpi-io-test-ppc64-3.1.2": [UNSWAPPED, VARIANCES],
  "mpi-io-test-ppc64-3.1.4": [UNSWAPPED, VARIANCES],
  "mpi-io-test-x86_64-3.1.0": [VARIANCES],
  "mpi-io-test-x86_64-3.1.3": [VARIANCES],
  sample: [VARIANCES],
  dxt: [/^# exe: /],
};

describe("text of real logs", () => {
  it("has all logs: three of this project, 43 published", () => {
    expect(referenceLogs.length).toBe(hasPublicData ? 46 : 3);
  });

  for (const { name, path } of referenceLogs) {
    describe(name, () => {
      for (const kind of ["base", "total", "perf", "all", "dxt"] as const) {
        it(`${kind}: every line with a value is the reference's`, () => {
          const truth = referenceText(name, kind).split("\n");
          const keep = (line: string) => (isData(line) || isValue(line)) && hasTruth(line);
          const expected = truth.filter(keep);
          const found = ours(path, kind).filter(keep);
          expect(found.length).toBe(expected.length);
          const wrong = REFERENCE_IS_WRONG[name] ?? [];
          const excused = new Set<RegExp>();
          for (let i = 0; i < expected.length; i++) {
            if (found[i] === expected[i]) continue;
            const excuse = wrong.find(
              (pattern) => pattern.test(found[i] as string) && pattern.test(expected[i] as string),
            );
            if (excuse === undefined) expect(found[i]).toBe(expected[i]);
            else excused.add(excuse);
          }
          // An entry of the list that excuses nothing is out of date.
          if (kind === "all") expect(excused.size).toBe(wrong.length);
        });
      }
    });
  }
});
