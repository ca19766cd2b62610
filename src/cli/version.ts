/** `plimsoll --version --json`: this installation, for bug reports and for scripts that ask what it can do. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { version } from "../../package.json";
import { builtFile, nativeSource } from "../node/built.ts";
import { libcVersion } from "../record/libc.ts";

/** The version of an installed package; null where it is not there. Not every package lets its package.json be required. */
function packageVersion(name: string): string | null {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const path = join(folder, name, "package.json");
    if (existsSync(path)) return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
  }
  return null;
}

export function versionJson() {
  const [duckdb, koffi] = ["@duckdb/node-bindings", "koffi"].map(packageVersion);
  return {
    plimsoll: version,
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform}-${process.arch}`,
    glibc: libcVersion(),
    duckdb,
    koffi,
    parts: {
      database: duckdb !== null,
      mpi: koffi !== null,
      recorderSource: nativeSource("recorder.c") !== undefined,
      prebuiltRecorder: nativeSource("prebuilt/recorder.so") !== undefined,
      page: isBuilt("plimsoll.html"),
    },
  };
}

function isBuilt(name: string): boolean {
  try {
    return builtFile(name) !== "";
  } catch {
    return false;
  }
}
