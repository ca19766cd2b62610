/** The recorder as a shared library: built at first use with the user's compiler, tested, and kept. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Kept, keepBuild } from "./build-cache.ts";
import { compile, compilerVersion, type Environment, ShimUnavailable } from "./compiler.ts";
import { testShim } from "./self-test.ts";

export { ShimUnavailable };

export interface ShimOptions {
  /** The C source; that of this package unless given. */
  readonly source?: string;
  readonly env?: Environment;
  /** Called with a line for each cache folder that cannot be trusted. */
  readonly note?: (message: string) => void;
}

const FLAGS = ["-std=gnu11", "-O2", "-fPIC", "-shared", "-fexceptions", "-fvisibility=hidden"];

/** The recorder for this compiler and C library; its path goes into LD_PRELOAD. Throws ShimUnavailable where there is none. */
export function ensureShim({ source = recorderSource(), env = process.env, note }: ShimOptions = {}): Kept {
  if (process.platform !== "linux")
    throw new ShimUnavailable(`the recorder needs Linux, not ${process.platform}`);
  const compiler = env.CC || "cc";
  const inputs = [
    readFileSync(source),
    ...[FLAGS.join(" "), compilerVersion(compiler, env), process.arch, libcVersion()],
  ];
  const build = (path: string, work: string) => {
    compile(compiler, [...FLAGS, "-o", path, source, "-ldl", "-lpthread"], env);
    testShim({ shim: path, compiler, work, env });
  };
  return keepBuild({ name: "recorder", ending: ".so", inputs, build }, { env, note });
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
