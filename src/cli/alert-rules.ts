/** Alert rules of a file, for `plimsoll alerts` and `plimsoll serve`. */
import { readFileSync } from "node:fs";
import { alertRules } from "../analyze/load/index.ts";
import { systemReason, UsageError } from "../base/errors.ts";

/** A file that cannot be read is wrong usage, since exit code 1 means that an alert fires. */
export function readAlertRules(path: string): ReturnType<typeof alertRules> {
  try {
    return alertRules(JSON.parse(readFileSync(path, "utf8")), path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      error instanceof SyntaxError
        ? `${path}: no JSON: ${error.message}`
        : `cannot read ${path}: ${systemReason(error) ?? (error as Error).message}`,
    );
  }
}
