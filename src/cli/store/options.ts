/** What the commands of a store have in common. */
import { UsageError } from "../../base/errors.ts";
import type { Provenance, Queryable } from "../../model/index.ts";
import type { OriginTable } from "../../store/index.ts";
import type { OptionSpecs, OptionValues } from "../command.ts";
import { option } from "../option.ts";

export const STORE_ARGUMENT = { name: "store", help: "store folder", kind: "file" } as const;

export const ENGINE_OPTIONS = {
  memory: option.bytes("database memory limit; beyond it, spill to disk (default: half of RAM)", {
    min: 32 * 1024 * 1024,
  }),
  threads: option.whole("number of threads (default: all cores)", { min: 1, max: 1024 }),
  temp: option.text("DIR", "folder for spill files (default: tmp in the store)"),
} as const satisfies OptionSpecs;

export type EngineValues = OptionValues<typeof ENGINE_OPTIONS>;

/** Options of the command line as those of `Store.open`. */
export function storeOptions({ memory, threads, temp }: EngineValues) {
  return {
    ...(memory === undefined ? {} : { memoryBytes: memory }),
    ...(threads === undefined ? {} : { threads }),
    ...(temp === undefined ? {} : { tempFolder: temp }),
  };
}

/** How much of the rows of these tables a generator made. */
export async function originOf(db: Queryable, ...tables: readonly OriginTable[]): Promise<Provenance> {
  const { provenanceOf } = await import("../../store/index.ts");
  return provenanceOf(db, tables);
}

/** Opens the store that was named, for one question. */
export async function withStore<T>(
  options: EngineValues & { readonly store?: string | undefined },
  ask: (db: Queryable) => Promise<T>,
): Promise<T> {
  if (options.store === undefined) throw new UsageError("--store is missing: name a store folder");
  const { askStore } = await import("../../store/index.ts");
  return askStore(options.store, storeOptions(options), ask);
}
