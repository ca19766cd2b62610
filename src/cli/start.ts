/**
 * The program's first file. Commands that scripts run for every log, job and node come from one bundle with V8's code
 * cache beside it, since compiling takes longer than their work; all others load main.js. A cache of another Node is
 * refused by V8, and the bundle is compiled as usual.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";

const QUICK = ["darshan parse", "darshan dxt", "collect client"];

if (QUICK.includes(process.argv.slice(2, 4).join(" "))) runQuick();
else void import("./main.js");

function runQuick(): void {
  const path = join(__dirname, "quick.cjs");
  const wrapped = `(function (exports, require, module, __filename) {${readFileSync(path, "utf8")}\n})`;
  // The cache holds this name, so it must not depend on the folder.
  const script = new Script(wrapped, { filename: "quick.cjs", ...cached() });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(path), module, path);
}

function cached(): { cachedData?: Buffer } {
  try {
    return { cachedData: readFileSync(join(__dirname, "quick.cache")) };
  } catch {
    return {};
  }
}
