/** Storage without server processes. Servers are in `src/ncio/servers`. */
export { memoryStorage } from "./memory.ts";
export { nullStorage } from "./null.ts";
export { posixStorage } from "./posix.ts";
