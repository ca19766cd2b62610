/** Programs and files that the build leaves in dist/, and sources in native/ that are installed with us. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assert } from "../base/assert.ts";

/** False where the sources run as they are, as in tests. */
export const isBuild = !import.meta.url.endsWith(".ts");

/** The path of `name` in dist/, from a program there, from one of its chunks, and from the sources. */
export function builtFile(name: string): string {
  const found = firstOf(["./", "../", "../../dist/"], name);
  assert(found !== undefined, `the build has no ${name}; run npm run build`);
  return found;
}

/** The path of `name` in native/; undefined where an installation has none. */
export const nativeSource = (name: string) => firstOf(["../native/", "../../native/"], name);

function firstOf(places: readonly string[], name: string): string | undefined {
  return places
    .map((place) => fileURLToPath(new URL(`${place}${name}`, import.meta.url)))
    .find((path) => existsSync(path));
}
