/** STDIO: streams of the C library (fopen, fwrite, fprintf …). */
import { counters, fixedModule, MINUS_ONE, upgradeMap, rankLines } from "./module.ts";

export const stdio = fixedModule({
  name: "STDIO",
  slots: [7, 8, 9],
  version: 2,
  integers: counters(
    "STDIO_",
    `OPENS count sum opens, those of FDOPENS included
    FDOPENS count sum streams made from descriptors (fdopen)
    READS count sum read calls
    WRITES count sum write calls
    SEEKS count sum seek calls
    FLUSHES count sum flushes
    BYTES_WRITTEN bytes sum bytes written
    BYTES_READ bytes sum bytes read
    MAX_BYTE_READ bytes max highest file offset read
    MAX_BYTE_WRITTEN bytes max highest file offset written
    ${rankLines("paired")}`,
  ),
  reals: counters(
    "STDIO_F_",
    `META_TIME seconds sum time in metadata operations
    WRITE_TIME seconds sum time in writes
    READ_TIME seconds sum time in reads
    OPEN_START_TIMESTAMP seconds first first open began
    CLOSE_START_TIMESTAMP seconds first first close began
    WRITE_START_TIMESTAMP seconds first first write began
    READ_START_TIMESTAMP seconds first first read began
    OPEN_END_TIMESTAMP seconds max last open ended
    CLOSE_END_TIMESTAMP seconds max last close ended
    WRITE_END_TIMESTAMP seconds max last write ended
    READ_END_TIMESTAMP seconds max last read ended
    FASTEST_RANK_TIME seconds paired time of the rank that spent least (shared records)
    SLOWEST_RANK_TIME seconds paired time of the rank that spent most (shared records)
    VARIANCE_RANK_TIME seconds2 none variance over ranks of the time spent (shared records)
    VARIANCE_RANK_BYTES bytes2 none variance over ranks of the bytes moved (shared records)`,
  ),
  about: "C streams",
  derivedPrefix: "STDIO_",
  older: { 1: { words: 30, upgrade: upgradeMap([0, 3], MINUS_ONE, [3, 30]) } },
});
