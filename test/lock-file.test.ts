/** package-lock.json: what npm installs is what was locked, on every platform. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const packages: Readonly<Record<string, Locked>> = JSON.parse(
  readFileSync(new URL("../package-lock.json", import.meta.url), "utf8"),
).packages;
const entries = Object.entries(packages).filter(([path]) => path !== "");

/**
 * Development tools of other platforms that the registry did not offer when they were locked, so that their checksum is not
 * known. npm installs them unchecked. Give them their integrity when the registry has them, and take them off. What runs in
 * production is never on this list.
 */
const UNCHECKED: Readonly<Record<string, readonly string[]>> = {
  "@biomejs/cli-":
    "android-arm64 android-x64 darwin-arm64 darwin-x64 linux-arm64-musl linux-x64-musl win32-arm64 win32-x64".split(
      " ",
    ),
  "@rolldown/binding-":
    "android-arm-eabi android-arm64 darwin-arm64 darwin-x64 freebsd-x64 linux-arm-gnueabihf linux-arm64-gnu linux-arm64-musl linux-ppc64-gnu linux-s390x-gnu linux-x64-musl openharmony-arm64 wasm32-wasi win32-arm64-msvc win32-x64-msvc".split(
      " ",
    ),
};

describe("package-lock.json", () => {
  it("has a SHA-512 of every package that runs in production, and of all others but those that are known to lack one", () => {
    const unchecked = entries.filter(
      ([, { integrity = "" }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity),
    );
    expect(unchecked.filter(([, { dev = false }]) => !dev)).toEqual([]);
    const lacking = unchecked.map(([path]) => path.replace(/^.*node_modules\//, ""));
    const known = Object.entries(UNCHECKED).flatMap(([start, ends]) => ends.map((end) => start + end));
    expect(lacking.sort()).toEqual(known.sort());
  });

  it("has the packages of every platform that they name: npm drops those that a registry does not offer", () => {
    const missing = entries.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => /[/-](linux|darwin|win32)-?/.test(name))
        .filter((name) => packages[`node_modules/${name}`] === undefined)
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
    expect(Object.keys(packages).filter((path) => path.includes("@duckdb/node-bindings-")).length).toBe(8);
  });

  it("names no mirror of one machine", () => {
    const foreign = entries.filter(
      ([, { resolved }]) => resolved !== undefined && !resolved.startsWith("https://registry.npmjs.org/"),
    );
    expect(foreign).toEqual([]);
  });
});
