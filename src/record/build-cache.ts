/**
 * Keeps what is built here at first use: the recorder and the workload programs. They are loaded into the user's programs or run as
 * the user, so neither the folder nor a file in it may be in the hands of anybody else.
 */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { makeFolder } from "../node/folders.ts";
import { type Environment, ShimUnavailable } from "./compiler.ts";

interface Build {
  /** Stands before the hashes in the file's name. */
  readonly name: string;
  /** Stands behind them: ".so", or nothing. */
  readonly ending: string;
  /** All that the result depends on: source, compiler, flags. */
  readonly inputs: readonly (string | Uint8Array)[];
  /** Makes the file `path`; `work` is a folder for whatever else it needs, removed afterwards. */
  build(path: string, work: string): void;
}

export interface Kept {
  readonly path: string;
  /** Whether it was built now. */
  readonly fresh: boolean;
}

interface BuildCacheOptions {
  readonly env: Environment;
  /** Called with a line for each folder that cannot be trusted. */
  readonly note?: ((message: string) => void) | undefined;
}

/**
 * The build of these inputs. Its file is named by a hash of the inputs and a hash of its content, and the content is compared at
 * every use. Two processes at once each build their own; both files are sound.
 */
export function keepBuild(build: Build, options: BuildCacheOptions): Kept {
  const folder = cacheFolder(options);
  const hash = createHash("sha256");
  for (const input of build.inputs) hash.update(input).update("\n");
  const start = `${build.name}-${hash.digest("hex").slice(0, 20)}-`;
  const kept = readdirSync(folder)
    .sort()
    .filter((name) => name.startsWith(start) && name.endsWith(build.ending))
    .map((name) => join(folder, name))
    .find((path) => isSound(path, path.slice(join(folder, start).length, path.length - build.ending.length)));
  if (kept !== undefined) return { path: kept, fresh: false };
  const work = mkdtempSync(join(folder, "build-"));
  try {
    const made = join(work, `made${build.ending}`);
    build.build(made, work);
    chmodSync(made, 0o755);
    const path = join(folder, `${start}${contentHash(made)}${build.ending}`);
    renameSync(made, path);
    return { path, fresh: true };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const contentHash = (path: string): string =>
  createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 32);

/** Whether a file is ours alone to write and still what was built. */
function isSound(path: string, hash: string): boolean {
  try {
    const found = lstatSync(path);
    if (found.uid !== ownUser() || !isOursAlone(found)) return false;
    return contentHash(path) === hash;
  } catch {
    // Gone meanwhile, or not to be read.
    return false;
  }
}

/** A file that nobody but us and root can change. */
export const isOursAlone = (found: Stats): boolean =>
  found.isFile() && (found.uid === ownUser() || found.uid === ROOT) && (found.mode & OTHERS_WRITE) === 0;

const OTHERS_WRITE = 0o022;
const STICKY = 0o1000;
const ROOT = 0;
const ownUser = (): number => process.geteuid?.() ?? 0;

/**
 * The user's cache folder; where that cannot be trusted, one in the temporary folder; and if somebody else has taken that name, a
 * fresh one for this process alone.
 */
function cacheFolder({ env, note }: BuildCacheOptions): string {
  const wanted = [
    ...(env.XDG_CACHE_HOME?.startsWith("/") ? [join(env.XDG_CACHE_HOME, "plimsoll")] : []),
    join(env.HOME || homedir(), ".cache", "plimsoll"),
    join(tmpdir(), `plimsoll-${ownUser()}`),
  ];
  const reasons: string[] = [];
  for (const folder of new Set(wanted)) {
    try {
      const safe = trustedFolder(folder);
      rmSync(mkdtempSync(join(safe, "try-")), { recursive: true });
      return safe;
    } catch (error) {
      if (error instanceof Untrusted) note?.(`${error.message}; it is not used for the recorder`);
      reasons.push((error as Error).message);
    }
  }
  const fresh = freshFolder();
  if (fresh !== undefined) return fresh;
  throw new ShimUnavailable(
    `no safe folder for the recorder library: ${reasons.at(-1)}; set XDG_CACHE_HOME to a folder that only you can write to`,
  );
}

/** Somebody else could put a file there. */
class Untrusted extends Error {}

/** The real path of a folder that only we (and root) can write, made where it is not there; throws where that cannot be had. */
function trustedFolder(folder: string): string {
  let above = dirname(folder);
  while (!existsSync(above)) above = dirname(above);
  const real = realpathSync(above);
  checkWay(real);
  const safe = join(real, relative(above, folder));
  // LD_PRELOAD separates names by spaces and colons and knows no quotes.
  if (/[\s:]/.test(safe)) throw new Error(`${safe} has a space or colon in its name`);
  makeFolder(safe, 0o700);
  const found = lstatSync(safe);
  if (!found.isDirectory())
    throw new Untrusted(`${safe} is ${found.isSymbolicLink() ? "a symbolic link" : "no folder"}`);
  if (found.uid !== ownUser()) throw new Untrusted(`${safe} belongs to user ${found.uid}`);
  if ((found.mode & OTHERS_WRITE) !== 0) throw new Untrusted(`other users can write to ${safe}`);
  return safe;
}

/** Whoever can write a folder on the way can put another one in the place of what is below. */
export function checkWay(real: string): void {
  const names = real.split(sep).filter((name) => name !== "");
  for (let depth = 0; depth <= names.length; depth++) {
    const folder = sep + names.slice(0, depth).join(sep);
    const { uid, mode } = statSync(folder);
    if (uid !== ownUser() && uid !== ROOT) throw new Untrusted(`${folder} belongs to user ${uid}`);
    // Nobody else gets below this one.
    if (uid === ownUser() && (mode & 0o077) === 0) return;
    // In a sticky folder names belong to their owners.
    if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0)
      throw new Untrusted(`other users can write to ${folder}`);
  }
}

let ownFolder: string | undefined;

/** A folder of this process, removed at its end. */
function freshFolder(): string | undefined {
  if (ownFolder !== undefined) return ownFolder;
  for (const place of new Set([tmpdir(), "/tmp"])) {
    try {
      const real = realpathSync(place);
      checkWay(real);
      if (/[\s:]/.test(real)) continue;
      const folder = (ownFolder = mkdtempSync(join(real, "plimsoll-")));
      process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
      return folder;
    } catch {
      // The next place.
    }
  }
  return undefined;
}
