// `npm test`: installs everything the tests need, runs them, and closes with one line of counts.
// `npm run test:long` runs the long campaigns instead. Words after `npm test --` go to vitest. With PLIMSOLL_REQUIRE_ALL=1 nothing may be left out.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ensureComponents } from "./components.mjs";
import { dataFolder, ensureBuild, ensureDependencies, root, runTool, SetupError } from "./setup.mjs";

const requireAll = process.env.PLIMSOLL_REQUIRE_ALL === "1";
const long = process.argv[2] === "--long";
const counts = { passed: 0, failed: 0, skipped: 0 };
const leftOut = [];

try {
  await runTests();
} catch (error) {
  counts.failed ||= 1;
  console.log(error instanceof SetupError ? `plimsoll: ${error.message}` : error);
}

if (leftOut.length > 0) {
  console.log(requireAll ? "\nMissing, though everything is required:" : "\nLeft out:");
  for (const line of leftOut) console.log(`  ${line}`);
  if (requireAll) counts.failed ||= 1;
}
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;

async function runTests() {
  ensureDependencies();
  await ensureBuild();
  for (const one of ensureComponents({ long })) {
    leftOut.push(`${one.name} (${one.why}); install ${one.packages.join(" ")}`);
  }
  if (!existsSync(dataFolder)) {
    leftOut.push(`published logs and samples of other projects; set PLIMSOLL_DATA to their folder`);
  }
  const work = mkdtempSync(join(tmpdir(), "plimsoll-test-"));
  try {
    const report = join(work, "report.json");
    const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const env = { ...process.env, PLIMSOLL_DATA: dataFolder, PLIMSOLL_TEST_LONG: long ? "1" : "" };
    const status = runTool("vitest", [...args, ...process.argv.slice(long ? 3 : 2)], { env });
    count(report, status);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Fills the counts from vitest's JSON report; no report means that vitest itself broke. */
function count(report, status) {
  if (!existsSync(report)) {
    counts.failed = 1;
    return;
  }
  for (const file of JSON.parse(readFileSync(report, "utf8")).testResults) {
    const name = relative(root, file.name);
    // A file that fails while it loads has no tests of its own to count.
    if (file.status === "failed" && !file.assertionResults.some((one) => one.status === "failed"))
      counts.failed++;
    for (const test of file.assertionResults) {
      if (test.status === "passed") counts.passed++;
      else if (test.status === "failed") counts.failed++;
      else {
        counts.skipped++;
        if (!test.fullName.endsWith("needs the published logs and samples"))
          leftOut.push(`${name}: ${test.fullName}`);
      }
    }
  }
  // Errors outside of tests (an unhandled rejection) show only in vitest's exit code.
  if (status !== 0) counts.failed ||= 1;
  if (counts.passed + counts.failed + counts.skipped === 0) counts.failed = 1;
}
