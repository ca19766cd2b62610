// Finds the folder with Lustre and Slurm samples. It is not part of the project; users do not have it.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";

const PROJECT_ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const folder = join(
  resolve(process.env.PLIMSOLL_DATA ?? join(PROJECT_ROOT, "..", "shared", "data")),
  "lustre",
);
const isThere = existsSync(join(folder, "INDEX.csv"));

export function lustreData(...path: readonly string[]): string {
  if (!isThere) throw new Error(`no Lustre samples in ${folder}; set PLIMSOLL_DATA to the data folder`);
  return join(folder, ...path);
}

export interface Sample {
  readonly file: string;
  readonly kind: string;
}

/** The files of the index with their kinds. */
export function lustreSamples(): Sample[] {
  const [header = "", ...lines] = readFileSync(lustreData("INDEX.csv"), "utf8").trim().split("\n");
  const columns = header.split(",");
  return lines.map((line) => {
    // Only the last column, the note, can hold a comma.
    const cells = line.split(",");
    return { file: cells[columns.indexOf("file")] ?? "", kind: cells[columns.indexOf("kind")] ?? "" };
  });
}

/** A `describe` that needs the samples; without them it is skipped, loudly, or fails where all is required. */
export function describeWithLustreData(name: string, body: () => void): void {
  if (isThere) {
    describe(name, body);
    return;
  }
  if (process.env.PLIMSOLL_REQUIRE_ALL === "1") lustreData();
  console.warn(`LEFT OUT: ${name}: no samples in ${folder} (set PLIMSOLL_DATA to the data folder)`);
  describe.skip(name, () => {
    it(`needs the samples (${name})`, () => {});
  });
}
