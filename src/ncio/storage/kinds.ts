/** Kinds of requests that memory and null storage accept. */
import type { Storage } from "../storage.ts";

export interface RequestKinds {
  /** Max pieces of a list request; absent: no list requests. */
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
