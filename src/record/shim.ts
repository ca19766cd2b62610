/** The recorder as a shared library: built at first use with the user's compiler, tested, and kept. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nativeSource } from "../node/built.ts";
import { type Kept, keepBuild } from "./build-cache.ts";
import { compile, compilerVersion, type Environment, ShimUnavailable } from "./compiler.ts";
import { testShim } from "./self-test.ts";

export { ShimUnavailable };

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

/** The recorder for this compiler and C library; its path goes into LD_PRELOAD. Throws ShimUnavailable where there is none. */
export function ensureShim({ source = recorderSource(), env = process.env, note }: ShimOptions = {}): Kept {
  if (process.platform !== "linux")
    throw new ShimUnavailable(`the recorder needs Linux, not ${process.platform}`);
  const compiler = env.CC || "cc";
  const inputs = [
    ...sourceTexts(source),
    ...[FLAGS.join(" "), compilerVersion(compiler, env), process.arch, libcVersion()],
  ];
  const build = (path: string, work: string) => {
    compile(compiler, [...FLAGS, "-o", path, source, "-ldl", "-lpthread"], env);
    testShim({ shim: path, compiler, work, env });
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

function libcVersion(): string {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return report?.header?.glibcVersionRuntime ?? "unknown";
}
