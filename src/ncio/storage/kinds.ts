/** The kinds of requests that storage without a system behind it pretends to know. */
import type { Storage } from "../storage.ts";

export interface RequestKinds {
  /** Pieces of a list request; without it there are none. */
  readonly listMax?: number;
  readonly types?: boolean;
  readonly requestBytesMax?: number;
}

export function typedStorage(
  name: string,
  { listMax, types, requestBytesMax }: RequestKinds,
): Pick<Storage, "name" | "listMax" | "hasTypes" | "requestBytesMax"> {
  return {
    name,
    listMax,
    hasTypes: types === true,
    ...(requestBytesMax !== undefined && { requestBytesMax }),
  };
}
