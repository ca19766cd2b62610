/** Storage that needs nothing but this process. Servers are in `src/ncio/servers`. */
export type { RequestKinds } from "./kinds.ts";
export { type MemoryOptions, memoryStorage } from "./memory.ts";
export { nullStorage } from "./null.ts";
export { posixStorage } from "./posix.ts";
