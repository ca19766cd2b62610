/** The targets of a store, and the selection by patterns. */
import type { Queryable } from "../../model/index.ts";
import { quoted, text } from "./amounts.ts";

export interface TargetName {
  readonly fileSystem: string | null;
  readonly target: string;
}

/** Full Lustre name: `lustre1-OST0007`. */
export const fullName = ({ fileSystem, target }: TargetName): string =>
  fileSystem === null ? target : `${fileSystem}-${target}`;

export async function storedTargetNames(db: Queryable): Promise<TargetName[]> {
  const names = (from: string) => `select distinct file_system, target from ${from} where target is not null`;
  let rows = await db.rows(`${names("readings")} order by all`);
  if (rows.length === 0) rows = await db.rows(`${names("minutes")} union ${names("targets")} order by all`);
  return rows.map(({ file_system, target }) => ({ fileSystem: text(file_system), target: String(target) }));
}

interface Chosen {
  readonly targets: readonly TargetName[];
  /** Patterns that match no target. */
  readonly unknown: readonly string[];
}

/** `OST0007`, `OST*`, `lustre1-MDT000?`, separated by commas; case-insensitive. No pattern: all. */
export function chooseTargets(all: readonly TargetName[], patterns: readonly string[]): Chosen {
  const words = patterns
    .flatMap((one) => one.split(","))
    .map((one) => one.trim())
    .filter((one) => one !== "");
  if (words.length === 0) return { targets: all, unknown: [] };
  const tests = words.map((word) => ({ word, fits: globTest(word) }));
  const hit =
    ({ fits }: (typeof tests)[number]) =>
    (one: TargetName) =>
      fits(one.target) || fits(fullName(one));
  return {
    targets: all.filter((one) => tests.some((test) => hit(test)(one))),
    unknown: tests.filter((test) => !all.some(hit(test))).map(({ word }) => word),
  };
}

function globTest(pattern: string): (name: string) => boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  const expression = new RegExp(`^${source}$`, "is");
  return (name) => expression.test(name);
}

/** A condition on rows of `minutes` or `targets`; all targets need none. */
export function targetCondition(all: readonly TargetName[], chosen: readonly TargetName[]): string {
  if (chosen.length === all.length) return "true";
  const list = (names: Iterable<string>) => [...new Set(names)].map(quoted).join(", ");
  const byName = `target in (${list(chosen.map(({ target }) => target))})`;
  if (new Set(all.map(({ fileSystem }) => fileSystem)).size === 1) return byName;
  return `${byName} and concat(file_system, '-', target) in (${list(chosen.map((one) => `${one.fileSystem ?? ""}-${one.target}`))})`;
}

/** With the file system if there are several. */
export const targetLabel = (all: readonly TargetName[], one: TargetName): string =>
  new Set(all.map(({ fileSystem }) => fileSystem)).size > 1 ? fullName(one) : one.target;

/** `OST0007`, or `all 12 targets`; with the file system if there are several. */
export function targetsText(all: readonly TargetName[], chosen: readonly TargetName[]): string {
  const systems = new Set(all.map(({ fileSystem }) => fileSystem)).size;
  if (chosen.length === all.length && all.length > 1) return `all ${all.length} targets`;
  if (chosen.length <= 4) return chosen.map((one) => (systems > 1 ? fullName(one) : one.target)).join(", ");
  return `${chosen.length} of ${all.length} targets (${chosen[0]?.target} to ${chosen.at(-1)?.target})`;
}
