/** The recorder as a shared library: built at first use with the user's compiler, tested, and kept. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile, compilerVersion, type Environment, ShimUnavailable } from "./compiler.ts";
import { testShim } from "./self-test.ts";

export { ShimUnavailable };

export interface ShimOptions {
  /** The C source; that of this package unless given. */
  readonly source?: string;
  readonly env?: Environment;
}

export interface Shim {
  /** What goes into LD_PRELOAD. */
  readonly path: string;
  /** Whether it was built now. */
  readonly fresh: boolean;
}

const FLAGS = ["-std=gnu11", "-O2", "-fPIC", "-shared", "-fexceptions", "-fvisibility=hidden"];

/**
 * Gives the recorder for this compiler and C library. Two processes at once each build their own, and the last one's
 * takes the name; both are the same. Throws ShimUnavailable where it cannot be built or does not record.
 */
export function ensureShim({ source = recorderSource(), env = process.env }: ShimOptions = {}): Shim {
  if (process.platform !== "linux")
    throw new ShimUnavailable(`the recorder needs Linux, not ${process.platform}`);
  const compiler = env.CC || "cc";
  const version = compilerVersion(compiler, env);
  const key = createHash("sha256")
    .update(readFileSync(source))
    .update(`\n${FLAGS.join(" ")}\n${version}\n${process.arch}\n${libcVersion()}\n`)
    .digest("hex");
  const folder = cacheFolder(env);
  const path = join(folder, `recorder-${key.slice(0, 20)}.so`);
  if (existsSync(path)) return { path, fresh: false };
  const work = mkdtempSync(join(folder, "build-"));
  try {
    const built = join(work, "recorder.so");
    compile(compiler, [...FLAGS, "-o", built, source, "-ldl", "-lpthread"], env);
    testShim({ shim: built, compiler, work, env });
    chmodSync(built, 0o755);
    renameSync(built, path);
    return { path, fresh: true };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Beside the sources in a checkout, in the package folder when installed; the program is in dist/ or a folder of it. */
export function recorderSource(): string {
  for (const place of ["../native/", "../../native/"]) {
    const path = fileURLToPath(new URL(`${place}recorder.c`, import.meta.url));
    if (existsSync(path)) return path;
  }
  throw new ShimUnavailable("this installation has no native/recorder.c");
}

function libcVersion(): string {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return report?.header?.glibcVersionRuntime ?? "unknown";
}

/**
 * Where builds are kept. LD_PRELOAD separates names by spaces and colons and knows no quotes, so a folder with either
 * cannot be used; the temporary folder is the last resort, and there the folder must be ours alone.
 */
function cacheFolder(env: Environment): string {
  const home = env.HOME || homedir();
  const shared = join(tmpdir(), `plimsoll-${process.getuid?.() ?? 0}`);
  const wanted = [
    ...(env.XDG_CACHE_HOME?.startsWith("/") ? [join(env.XDG_CACHE_HOME, "plimsoll")] : []),
    join(home, ".cache", "plimsoll"),
    shared,
  ];
  let reason = "";
  for (const folder of wanted) {
    if (/[\s:]/.test(folder)) {
      reason = `${folder} has a space or colon in its name`;
      continue;
    }
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (folder === shared && !isOurs(folder)) throw new Error(`${folder} belongs to somebody else`);
      rmSync(mkdtempSync(join(folder, "try-")), { recursive: true });
      return folder;
    } catch (error) {
      reason = (error as Error).message;
    }
  }
  throw new ShimUnavailable(`no folder for the built recorder: ${reason}; set XDG_CACHE_HOME`);
}

function isOurs(folder: string): boolean {
  const link = lstatSync(folder);
  return link.isDirectory() && link.uid === process.getuid?.() && (statSync(folder).mode & 0o022) === 0;
}
