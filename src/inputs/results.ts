/** Results of benchmarks under paths: files and folders, read by what they hold. */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { FormatError } from "../base/errors.ts";
import type { Listener } from "../base/listener.ts";
import { findFormat, refusal } from "../formats/catalogue.ts";
import { type ReadResults, RESULT_HEAD_BYTES } from "../formats/results/index.ts";
import type { FoundRankTimes, FoundResult } from "../model/index.ts";
import { withFile } from "../node/file-source.ts";
import { fsPath, rawNames } from "../node/raw-path.ts";

interface FoundResults {
  readonly results: readonly FoundResult[];
  readonly rankTimes: readonly FoundRankTimes[];
  /** Files that had results. */
  readonly files: number;
  /** Files in folders that are none of a benchmark's. */
  readonly others: number;
}

/** Results are small; what is larger is a log of something else. */
const BYTES_MAX = 64 * 2 ** 20;

export async function readResults(paths: readonly string[], listener: Listener): Promise<FoundResults> {
  const results: (FoundResult & { readonly format: string })[] = [];
  const rankTimes: FoundRankTimes[] = [];
  let [files, others] = [0, 0];
  const seen = new Set<string>();
  for (const given of paths)
    for (const path of filesUnder(given)) {
      await listener.yieldToEvents?.();
      // Archives keep copies; the same bytes are the same measurement.
      const key = contentKey(path);
      if (key !== undefined && seen.has(key)) continue;
      if (key !== undefined) seen.add(key);
      const read = readOne(path, given === path, paths.length === 1, listener);
      if (read === undefined) others++;
      else if (read !== "refused") {
        files++;
        results.push(...read.results.map((result) => ({ ...result, file: path, format: read.format })));
        rankTimes.push(...read.rankTimes.map((times) => ({ ...times, file: path })));
      }
    }
  return { results: withoutSummaries(results), rankTimes, files, others };
}

function readOne(path: string, isGiven: boolean, isOnly: boolean, listener: Listener) {
  const head = headOf(path);
  const format = findFormat(head, path, "results");
  if (format?.results === undefined)
    return isGiven ? refuse(path, refusal(head, path, ["results"]), isOnly, listener) : undefined;
  if (statSync(fsPath(path)).size > BYTES_MAX)
    return refuse(path, `${format.label} of more than 64 MiB`, isOnly, listener);
  let read: ReadResults;
  try {
    read = format.results(new TextDecoder().decode(readFileSync(fsPath(path))));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return refuse(path, `${format.label}: ${error.message}`, isOnly && isGiven, listener);
  }
  if (read.results.length + read.rankTimes.length > 0) return { ...read, format: format.id };
  return refuse(path, `${format.label} without a result`, isOnly && isGiven, listener);
}

function refuse(path: string, reason: string, isOnly: boolean, listener: Listener): "refused" {
  if (isOnly) throw new FormatError(path, {}, reason);
  listener.skip?.(path, reason);
  return "refused";
}

/** Undefined for what is too large to be a result. */
function contentKey(path: string): string | undefined {
  if (statSync(fsPath(path)).size > BYTES_MAX) return undefined;
  return createHash("sha256")
    .update(readFileSync(fsPath(path)))
    .digest("base64");
}

const headOf = (path: string) => withFile(path, (source) => source.read(0, RESULT_HEAD_BYTES).slice());

function filesUnder(path: string): string[] {
  const stat = statSync(fsPath(path), { throwIfNoEntry: false });
  if (stat === undefined) throw new FormatError(path, {}, "no such file or folder");
  if (!stat.isDirectory()) return [path];
  return rawNames(path)
    .sort()
    .filter((name) => !name.startsWith("."))
    .map((name) => join(path, name))
    .filter((child) => {
      const inner = statSync(fsPath(child), { throwIfNoEntry: false });
      return inner?.isDirectory() === true || (inner?.isFile() === true && inner.size > 0);
    })
    .flatMap(filesUnder);
}

/** result.txt says all that result_summary.txt beside it says, and when each phase began. */
function withoutSummaries(results: readonly (FoundResult & { readonly format: string })[]): FoundResult[] {
  const whole = new Set(
    results.filter(({ format }) => format === "io500-result").map(({ file }) => dirname(file)),
  );
  return results
    .filter(({ format, file }) => format !== "io500-summary" || !whole.has(dirname(file)))
    .map(({ format: _, ...result }) => result);
}
