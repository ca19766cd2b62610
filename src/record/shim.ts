/** The recorder as a shared library: built at first use with the user's compiler, tested, and kept. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nativeSource } from "../node/built.ts";
import { type Kept, keepBuild } from "./build-cache.ts";
import { compile, compilerVersion, type Environment, ShimUnavailable } from "./compiler.ts";
import { libcVersion } from "./libc.ts";
import { prebuiltShim } from "./prebuilt.ts";
import { testShim } from "./self-test.ts";

export { ShimUnavailable };

const PROBE = "recorder-probe.c";

interface ShimOptions {
  /** The C source; that of this package unless given. */
  readonly source?: string;
  readonly env?: Environment;
  /** Called with a line for each cache folder that cannot be trusted. */
  readonly note?: (message: string) => void;
}

const FLAGS = [
  ...["-std=gnu11", "-O2", "-fPIC", "-shared", "-fexceptions", "-fvisibility=hidden"],
  // Headers promise arguments that are not NULL; programs pass NULL all the same.
  "-fno-delete-null-pointer-checks",
];

/** Both ways to record name files by their descriptors in /proc; strace alone would leave names out. */
export function needProc(): void {
  if (process.platform === "linux" && !existsSync("/proc/self/fd"))
    throw new ShimUnavailable("recording needs /proc, which is not mounted here (mount -t proc proc /proc)");
}

/**
 * The recorder for this machine; its path goes into LD_PRELOAD. An installation may bring one that was built before; it is used
 * where it passes the self-test, unless CC asks for a compiler. Throws ShimUnavailable where there is none.
 */
export function ensureShim({ source, env = process.env, note }: ShimOptions = {}): Kept {
  if (process.platform !== "linux")
    throw new ShimUnavailable(`the recorder needs Linux, not ${process.platform}`);
  needProc();
  if (source !== undefined || env.CC) return compiledShim(source ?? recorderSource(), env, note);
  const { kept, reason } = prebuiltShim(env, note);
  if (kept !== undefined) return kept;
  try {
    return compiledShim(recorderSource(), env, note);
  } catch (error) {
    if (reason === undefined || !(error instanceof ShimUnavailable)) throw error;
    throw new ShimUnavailable(`${error.message}; prebuilt recorder: ${reason}`, { cause: error });
  }
}

function compiledShim(source: string, env: Environment, note: ShimOptions["note"]): Kept {
  const compiler = env.CC || "cc";
  const probeSource = nativeSource(PROBE);
  const inputs = [
    ...sourceTexts(source),
    ...[FLAGS.join(" "), compilerVersion(compiler, env), process.arch, libcVersion()],
  ];
  const build = (path: string, work: string) => {
    compile(compiler, [...FLAGS, "-o", path, source, "-ldl", "-lpthread"], env);
    if (probeSource === undefined) throw new ShimUnavailable(`this installation has no native/${PROBE}`);
    const probe = join(work, "probe");
    compile(compiler, ["-O1", "-w", "-o", probe, probeSource], env);
    testShim({ shim: path, probe, work, env });
  };
  return keepBuild({ name: "recorder", ending: ".so", inputs, build }, { env, note });
}

/** The source and the files of its folder that it includes. */
function sourceTexts(source: string): string[] {
  const text = readFileSync(source, "utf8");
  const names = [...text.matchAll(/^#include "([\w.-]+)"$/gm)].map(([, name = ""]) => name);
  return [text, ...names.map((name) => readFileSync(join(dirname(source), name), "utf8"))];
}

export function recorderSource(): string {
  const path = nativeSource("recorder.c");
  if (path === undefined) throw new ShimUnavailable("this installation has no native/recorder.c");
  return path;
}
