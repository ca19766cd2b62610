// Finds the folder with reference logs. It is not part of the project; users do not have it.

import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";

const PROJECT_ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");

function lookup(): string {
  return join(resolve(process.env.PLIMSOLL_DATA ?? join(PROJECT_ROOT, "..", "shared", "data")), "darshan");
}

/** Whether the reference data is here. */
export const hasDarshanData = existsSync(join(lookup(), "LOGS.tsv"));

/** The folder with Darshan logs and truth; throws when it is not there. */
export function darshanDataFolder(): string {
  if (!hasDarshanData)
    throw new Error(`no Darshan reference data in ${lookup()}; set PLIMSOLL_DATA to the data folder`);
  return lookup();
}

/**
 * A `describe` that needs the reference data. Without it the tests are skipped, loudly, and where everything
 * is required (PLIMSOLL_REQUIRE_ALL=1) the file fails.
 */
export function describeWithData(name: string, body: () => void): void {
  if (hasDarshanData) {
    describe(name, body);
    return;
  }
  if (process.env.PLIMSOLL_REQUIRE_ALL === "1") darshanDataFolder();
  console.warn(`LEFT OUT: ${name}: no reference data in ${lookup()} (set PLIMSOLL_DATA to the data folder)`);
  describe.skip(name, () => {
    // One named test, so that the count of skipped ones tells.
    it(`needs the reference data (${name})`, () => {});
  });
}
