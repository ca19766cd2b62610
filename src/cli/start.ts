/**
 * The program's first file. Commands that scripts run for every log, job and node, and reports, which people wait for, come
 * from a bundle with V8's code cache beside it, since compiling takes longer than their work. The collector of servers,
 * which stays 4 MB smaller so, has one of its own: each start reads its bundle whole. All others load main.js, as does a
 * report with a store, since the database is in no bundle. A cache of another Node is refused by V8, and the bundle is
 * compiled as usual.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

const QUICK = ["darshan parse", "darshan dxt", "collect client"];
const REPORTS = ["report", "findings", "diff"];

const words = process.argv.slice(2, 4).join(" ");
const command = process.argv[2] ?? "";
if (QUICK.includes(words)) run("quick");
else if (words === "collect server") run("quick-server");
else if (command === "bps") run("quick-bps");
else if (REPORTS.includes(command) && !process.argv.some((word) => word.startsWith("--store")))
  run("quick-report");
else void import("./main.js");

function run(bundle: string): void {
  const path = join(__dirname, `${bundle}.cjs`);
  const wrapped = `(function (exports, require, module, __filename) {${readFileSync(path, "utf8")}\n})`;
  // The cache holds this name, so it must not depend on the folder.
  const script = new Script(wrapped, { filename: `${bundle}.cjs`, ...cached(bundle) });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path);
}

function cached(bundle: string): { cachedData?: Buffer } {
  try {
    return { cachedData: readFileSync(join(__dirname, `${bundle}.cache`)) };
  } catch {
    return {};
  }
}
