/** The JSON file of a finished study: in its folder of results, or by its own name. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { FormatError, UsageError } from "../base/errors.ts";

const RESULT_FILES = ["study.json", "checks.json", "sweep.json"];

/** `report` is the address of its report as seen from a page in the folder `from`. */
export function readStudyResult(path: string, from: string) {
  const source = statSync(path).isDirectory() ? jsonIn(path) : path;
  const report = join(dirname(source), "report.html");
  return {
    source,
    report: existsSync(report) ? addressOf(relative(resolve(from), resolve(report))) : undefined,
    value: parsed(source),
  };
}

const addressOf = (path: string): string => path.split(sep).map(encodeURIComponent).join("/");

function jsonIn(folder: string): string {
  const file = RESULT_FILES.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file === undefined)
    throw new UsageError(`${folder}: no study result in this folder (expected ${RESULT_FILES.join(", ")})`);
  return file;
}

function parsed(file: string): unknown {
  const text = readFileSync(file, "utf8");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new FormatError(file, {}, "not JSON; expected the JSON file of a study", { cause });
  }
}
