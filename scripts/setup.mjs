// Brings a checkout into a state that can run: packages installed, sources bundled.
// Plain Node without packages, since it runs before `npm ci`. Messages go to stderr.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where the shared test data is. */
export const dataFolder = process.env.PLIMSOLL_DATA || join(root, "..", "shared", "data");

/** A problem that the user can solve; printed as one line, without a stack. */
export class SetupError extends Error {}

/** Installs the packages of package-lock.json unless node_modules already holds exactly those. */
export function ensureDependencies() {
  if (dependenciesAreFresh()) return;
  withLock("dependencies", () => {
    if (dependenciesAreFresh()) return;
    say("installing packages (npm ci)");
    const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: root,
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
    });
    if (npm.error) throw new SetupError(`cannot run npm (${npm.error.message}); install Node with npm`);
    if (npm.status !== 0) {
      // npm adds pages of usage; its first sentence says what is wrong.
      const said = npm.stderr.split("\n").map((line) => line.replace(/^npm error ?/, "").trim());
      const why = said.find((line) => line !== "" && !line.startsWith("code ")) ?? "no reason given";
      throw new SetupError(`npm ci failed: ${why}; check network and registry, then run npm ci to see more`);
    }
    writeStamp(readFileSync(lockfile));
  });
}

/** Bundles src/ into dist/ when a source is newer than the last build. */
export async function ensureBuild() {
  if (buildIsFresh()) return;
  const { build } = await import("./build.mjs");
  await build();
}

/** Runs the body of a script; a SetupError ends it with one line and exit code 1. */
export async function runScript(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}

/** Runs a program of node_modules/.bin in the project root with our terminal; gives its exit code. */
export function runTool(name, args, options = {}) {
  const child = spawnSync(join(root, "node_modules", ".bin", name), args, {
    cwd: root,
    stdio: "inherit",
    ...options,
  });
  if (child.error) throw new SetupError(`cannot run ${name}: ${child.error.message}`);
  return child.status ?? 1;
}

export function say(message) {
  process.stderr.write(`plimsoll: ${message}\n`);
}

const lockfile = join(root, "package-lock.json");
const installed = join(root, "node_modules");
const stamp = join(installed, ".plimsoll-stamp");

/** The time of the last build; its modification time is when that build began. */
export const STAMP = ".stamp";

function dependenciesAreFresh() {
  // A link leads to packages of somebody else, which are theirs to keep: npm would empty that folder.
  if (lstatSync(installed, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  try {
    // The usual case costs two stats: the stamp is as young as the lock file, so nothing needs hashing.
    if (statSync(stamp).mtimeMs > statSync(lockfile).mtimeMs) return true;
  } catch {
    // No stamp: look closer below.
  }
  if (!existsSync(installed)) return false;
  const lock = readFileSync(lockfile);
  const fresh = existsSync(stamp) ? readFileSync(stamp, "utf8") === hash(lock) : npmInstalledAll(lock);
  if (fresh) writeStamp(lock);
  return fresh;
}

/** True if a plain `npm install` already brought every package at the locked version. */
function npmInstalledAll(lock) {
  try {
    const have = JSON.parse(readFileSync(join(installed, ".package-lock.json"), "utf8")).packages;
    const want = Object.entries(JSON.parse(lock).packages);
    return want.every(([path, one]) => path === "" || one.optional || have[path]?.version === one.version);
  } catch {
    return false;
  }
}

function writeStamp(lock) {
  try {
    writeFileSync(stamp, hash(lock));
  } catch {
    // A read-only checkout stays usable; it only checks a little longer each time.
  }
}

function hash(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function buildIsFresh() {
  const built = statSync(join(root, "dist", STAMP), { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return false;
  const single = ["package.json", "scripts/build.mjs"];
  const folders = ["src", "web"].map((name) => join(root, name)).filter((folder) => existsSync(folder));
  return (
    single.every((path) => !(modified(join(root, path)) > built)) &&
    !folders.some((folder) => anyNewer(folder, built))
  );
}

/** A folder counts too: its time changes when a file in it is deleted or renamed. */
function anyNewer(folder, time) {
  if (modified(folder) > time) return true;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (anyNewer(path, time)) return true;
    } else if (!entry.name.endsWith(".test.ts") && modified(path) > time) {
      return true;
    }
  }
  return false;
}

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** Lets one process at a time do the work; a lock left by a dead process is taken over. */
function withLock(name, work) {
  const lock = join(root, `.lock-${name}`);
  for (let waited = false; ; ) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code === "EROFS" || error.code === "EACCES") {
        throw new SetupError(`cannot write in ${root} to install packages; run npm ci there as its owner`);
      }
      if (error.code !== "EEXIST") throw error;
    }
    if (lockIsStale(lock)) {
      rmSync(lock, { recursive: true, force: true });
      continue;
    }
    if (!waited) say(`waiting for another process that sets up ${name}`);
    waited = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  try {
    writeFileSync(join(lock, "pid"), String(process.pid));
    return work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function lockIsStale(lock) {
  try {
    const pid = Number(readFileSync(join(lock, "pid"), "utf8"));
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    if (error.code === "ESRCH") return true;
    // The owner has not written its number yet; give it ten seconds.
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    return error.code === "ENOENT" && age > 10_000;
  }
}
