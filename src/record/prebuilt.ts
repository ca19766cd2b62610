/** A recorder that an installation brings (npm run dist), for machines without a compiler. */
import { lstatSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { nativeSource } from "../node/built.ts";
import { writeFile } from "../node/write-file.ts";
import { type Kept, checkWay, isOursAlone, keepBuild } from "./build-cache.ts";
import { type Environment, ShimUnavailable } from "./compiler.ts";
import { libcVersion } from "./libc.ts";
import { testShim } from "./self-test.ts";

interface Prebuilt {
  readonly kept?: Kept;
  /** Why the one that is there is not used. */
  readonly reason?: string;
}

/** The recorder stays where it is installed, if LD_PRELOAD can name that place; that it passed its test with this C library is kept in the cache. */
export function prebuiltShim(env: Environment, note: ((message: string) => void) | undefined): Prebuilt {
  const found = nativeSource("prebuilt/recorder.so");
  if (found === undefined || process.arch !== "x64") return {};
  try {
    const shim = realpathSync(found);
    const probe = join(dirname(shim), "recorder-probe");
    checkWay(dirname(shim));
    if (![shim, probe].every((path) => isOursAlone(lstatSync(path))))
      return { reason: `other users can write to ${shim}` };
    // LD_PRELOAD separates names by spaces and colons and knows no quotes.
    const keep = /[\s:]/.test(shim) ? copied : tested;
    return { kept: keep(shim, probe, env, note) };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

/** In the cache, whose folders have no spaces. */
function copied(
  shim: string,
  probe: string,
  env: Environment,
  note: ((message: string) => void) | undefined,
): Kept {
  const content = readFileSync(shim);
  const inputs = [content, readFileSync(probe), libcVersion()];
  const build = (path: string, work: string) => {
    writeFile(path, content);
    testShim({ shim: path, probe, work, env });
  };
  return keepBuild({ name: "recorder-copy", ending: ".so", inputs, build }, { env, note });
}

function tested(
  shim: string,
  probe: string,
  env: Environment,
  note: ((message: string) => void) | undefined,
): Kept {
  const inputs = [shim, readFileSync(shim), readFileSync(probe), libcVersion()];
  let fresh = false;
  const build = (path: string, work: string) => {
    testShim({ shim, probe, work, env });
    fresh = true;
    writeFile(path, "passed\n");
  };
  try {
    keepBuild({ name: "recorder-test", ending: "", inputs, build }, { env, note });
  } catch (error) {
    // No folder to remember it in: it is tried each time.
    if (!(error instanceof ShimUnavailable) || fresh) throw error;
    const work = mkdtempSync(join(tmpdir(), "plimsoll-"));
    try {
      testShim({ shim, probe, work, env });
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }
  return { path: shim, fresh };
}
