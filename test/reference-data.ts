/**
 * Real logs and samples with the answers of independent tools. Those recorded for this project lie in test/fixtures, and every
 * comparison runs on them everywhere. Published ones of other projects may not be copied; they are read from the folder that
 * PLIMSOLL_DATA names (../shared/data unless set), and what only they can show is left out where that folder is missing.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, it } from "vitest";

const fixtures = join(dirname(fileURLToPath(import.meta.url)), "fixtures");
const outside = resolve(process.env.PLIMSOLL_DATA || join(fixtures, "..", "..", "..", "shared", "data"));

/** Whether the published logs and samples are here too. */
export const hasPublicData = existsSync(join(outside, "darshan", "LOGS.tsv"));

export interface ReferenceLog {
  readonly file: string;
  readonly name: string;
  readonly path: string;
}

function logsIn(folder: string): ReferenceLog[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".darshan"))
    .map((file) => ({ file, name: file.slice(0, -".darshan".length), path: join(folder, file) }));
}

/** Folder of DFTracer's published traces, where it is. */
const dftracerFolder = join(outside, "dftracer");
export const publicDftracer = existsSync(dftracerFolder) ? dftracerFolder : undefined;

/** Folder of the published logs. */
export const publicLogFolder = join(outside, "darshan", "public");
export const publicLogs: readonly ReferenceLog[] = hasPublicData ? logsIn(publicLogFolder) : [];

/** Every log that has the answers of darshan-parser 3.5.0. */
export const referenceLogs: readonly ReferenceLog[] = [...logsIn(join(fixtures, "darshan")), ...publicLogs];

/** What the reference tool printed for a log, Latin-1 so that every byte counts. */
export function referenceText(name: string, kind: "all" | "base" | "total" | "perf" | "dxt"): string {
  const file = join("darshan", "truth", name, `${kind}.txt.gz`);
  return gunzipSync(readFileSync(firstWith(file))).toString("latin1");
}

/** The table of the published logs: size, format version, modules, values that the reference tool gets wrong. */
export function publicLogTable(): Readonly<Record<string, string>>[] {
  const [head = "", ...lines] = readFileSync(join(outside, "darshan", "LOGS.tsv"), "utf8")
    .trim()
    .split("\n");
  const columns = head.split("\t");
  return lines.map((line) => {
    const cells = line.split("\t");
    return Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? ""]));
  });
}

/** Path of a Lustre or Slurm sample: the project's own before the published ones. */
export function lustreData(...path: readonly string[]): string {
  return firstWith(join("lustre", ...path));
}

/** Folders that hold Lustre and Slurm samples. */
export const lustreFolders: readonly string[] = [
  join(fixtures, "lustre"),
  ...(hasPublicData ? [join(outside, "lustre")] : []),
];

/** Names of all Lustre and Slurm samples at hand. */
export function lustreSamples(): string[] {
  const names = lustreFolders.flatMap((folder) =>
    readFileSync(join(folder, "INDEX.csv"), "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(",", 1)[0] as string),
  );
  return [...new Set(names)];
}

/** A `describe` that only published data can fill; without it one skipped test tells, or fails where all is required. */
export function describeWithPublicData(name: string, body: () => void): void {
  if (hasPublicData) describe(name, body);
  else describe.skip(name, () => void it("needs the published logs and samples", () => {}));
}

function firstWith(path: string): string {
  const found = [fixtures, outside].map((folder) => join(folder, path)).find((one) => existsSync(one));
  if (found === undefined) throw new Error(`no ${path} in ${fixtures} or ${outside}`);
  return found;
}
