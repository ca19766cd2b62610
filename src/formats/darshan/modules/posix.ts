/** POSIX: open, read, write and similar calls, one record per file and rank (or per file, reduced). */
import {
  counters,
  fixedModule,
  MINUS_ONE,
  MINUS_ONE_REAL,
  standardReals,
  upgradeMap,
  ZERO,
  rankLines,
} from "./module.ts";

const integers = counters(
  "POSIX_",
  `OPENS count sum opens, those of FILENOS and DUPS included
  FILENOS count sum descriptors taken from a stream (fileno)
  DUPS count sum descriptor duplications
  READS count sum read calls
  WRITES count sum write calls
  SEEKS count sum seek calls
  STATS count sum calls of the stat family
  MMAPS count sum memory mappings
  FSYNCS count sum fsync calls
  FDSYNCS count sum fdatasync calls
  RENAME_SOURCES count sum times the file was the old name of a rename
  RENAME_TARGETS count sum times the file was the new name of a rename
  RENAMED_FROM id! last record id of the first file renamed to this one, 0 if none
  MODE mode last mode argument of the last open
  BYTES_READ bytes sum bytes read
  BYTES_WRITTEN bytes sum bytes written
  MAX_BYTE_READ bytes max highest file offset read
  MAX_BYTE_WRITTEN bytes max highest file offset written
  CONSEC_READS count sum reads that began exactly after the previous read
  CONSEC_WRITES count sum writes that began exactly after the previous write
  SEQ_READS count sum reads at an offset beyond the previous read
  SEQ_WRITES count sum writes at an offset beyond the previous write
  RW_SWITCHES count sum changes between reading and writing
  MEM_NOT_ALIGNED count sum accesses whose memory address missed the alignment
  MEM_ALIGNMENT bytes last memory alignment that was tested
  FILE_NOT_ALIGNED count sum accesses whose file offset missed the alignment
  FILE_ALIGNMENT bytes last file alignment that was tested (block or stripe)
  MAX_READ_TIME_SIZE bytes paired size of the slowest read
  MAX_WRITE_TIME_SIZE bytes paired size of the slowest write
  SIZE_READ_* count sum reads of
  SIZE_WRITE_* count sum writes of
  STRIDE1-4_STRIDE bytes common frequent gap between one access and the next
  STRIDE1-4_COUNT count paired how often that stride occurred
  ACCESS1-4_ACCESS bytes common frequent access size
  ACCESS1-4_COUNT count paired how often that size occurred
  ${rankLines("paired")}`,
);

// Words of old records: 2 base words, then integers, then reals.
// Version 3: 64 integers without FILENOS, DUPS and the three rename counters, reals as today.
const V3_REALS = 66;
// Versions 1 and 2: no CLOSE_START and OPEN_END; the first three reals, then ten more.
const twoRealsShort = (at: number) =>
  [[at, at + 3], MINUS_ONE_REAL, MINUS_ONE_REAL, [at + 3, at + 15]] as const;
// OPENS, (FILENOS, DUPS), READS…MMAPS, FSYNCS, FDSYNCS, (renames), MODE…: where `shift` words came in between.
const olderIntegers = (shift: number) =>
  [
    [0, 3],
    MINUS_ONE,
    MINUS_ONE,
    [3, 8],
    [8 + shift, 10 + shift],
    MINUS_ONE,
    MINUS_ONE,
    ZERO,
    [10 + shift, 66 + shift],
  ] as const;

export const posix = fixedModule({
  name: "POSIX",
  slots: [1, 1, 1],
  version: 4,
  integers,
  reals: standardReals("POSIX_F_"),
  about: "POSIX calls on files",
  clampSums: true,
  derivedPrefix: "POSIX_",
  older: {
    3: { words: 83, upgrade: upgradeMap(...olderIntegers(0), [V3_REALS, V3_REALS + 17]) },
    2: { words: 81, upgrade: upgradeMap(...olderIntegers(0), ...twoRealsShort(66)) },
    // FOPENS is word 8; a record with stream opens mixes two layers and cannot be told apart.
    1: { words: 85, zeroOrLeaveOut: 8, upgrade: upgradeMap(...olderIntegers(4), ...twoRealsShort(70)) },
  },
});
