/** What the commands of a store have in common. */
import type { OptionSpecs } from "../command.ts";

export const STORE_ARGUMENT = { name: "store", help: "the folder of a store", kind: "file" } as const;

export const ENGINE_OPTIONS = {
  memory: {
    kind: "bytes",
    help: "what the database may hold in memory; more is spilled to disk (default: half of the memory)",
    min: 32 * 1024 * 1024,
  },
  threads: { kind: "number", help: "processors to use (default: all)", integer: true, min: 1, max: 1024 },
  temp: {
    kind: "string",
    help: "where to spill (default: the tmp folder of the store)",
    valueName: "DIR",
  },
} as const satisfies OptionSpecs;

export interface EngineValues {
  readonly memory: number | undefined;
  readonly threads: number | undefined;
  readonly temp: string | undefined;
}

/** Options of the command line as those of `Store.open`. */
export function storeOptions({ memory, threads, temp }: EngineValues) {
  return {
    ...(memory === undefined ? {} : { memoryBytes: memory }),
    ...(threads === undefined ? {} : { threads }),
    ...(temp === undefined ? {} : { tempFolder: temp }),
  };
}
