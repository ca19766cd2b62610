/** HDF5: files (H5F) and datasets (H5D). */
import {
  type Counter,
  counters,
  fixedModule,
  MINUS_ONE,
  MINUS_ONE_REAL,
  standardReals,
  upgradeMap,
  ZERO,
  rankLines,
} from "./module.ts";

export const h5f = fixedModule({
  name: "H5F",
  slots: [3, 3, 3],
  version: 3,
  integers: counters(
    "H5F_",
    `OPENS count sum opens and creates
    FLUSHES count sum flushes
    USE_MPIIO flag last 1 when the file was opened through MPI-IO`,
  ),
  reals: counters(
    "H5F_F_",
    `OPEN_START_TIMESTAMP seconds first first open began
    CLOSE_START_TIMESTAMP seconds first first close began
    OPEN_END_TIMESTAMP seconds max last open ended
    CLOSE_END_TIMESTAMP seconds max last close ended
    META_TIME seconds sum time in opens, flushes and closes`,
  ),
  about: "HDF5 files",
  older: {
    1: {
      words: 5,
      upgrade: upgradeMap([0, 3], MINUS_ONE, MINUS_ONE, 3, MINUS_ONE_REAL, MINUS_ONE_REAL, 4, MINUS_ONE_REAL),
    },
    2: { words: 7, upgrade: upgradeMap([0, 3], MINUS_ONE, MINUS_ONE, [3, 7], MINUS_ONE_REAL) },
  },
});

/** Four common accesses of eleven slots: the size, then length and stride in the five fastest dimensions. */
export function commonAccesses(prefix: string): readonly Counter[] {
  const dimensions = [1, 2, 3, 4, 5];
  return [1, 2, 3, 4].flatMap((n) =>
    counters(
      `${prefix}ACCESS${n}_`,
      [
        "ACCESS bytes none size of a frequent access",
        ...dimensions.map((d) => `LENGTH_D${d} value none its length in dimension ${d} (1 varies fastest)`),
        ...dimensions.map((d) => `STRIDE_D${d} value none its stride in dimension ${d}`),
      ].join("\n"),
    ),
  );
}

const h5dIntegers = [
  ...counters(
    "H5D_",
    `OPENS count none dataset opens and creates
    READS count none reads
    WRITES count none writes
    FLUSHES count none flushes
    BYTES_READ bytes none bytes read
    BYTES_WRITTEN bytes none bytes written
    RW_SWITCHES count none changes between reading and writing
    REGULAR_HYPERSLAB_SELECTS count none accesses through a regular hyperslab
    IRREGULAR_HYPERSLAB_SELECTS count none accesses through an irregular hyperslab
    POINT_SELECTS count none accesses through point selections
    MAX_READ_TIME_SIZE bytes none size of the slowest read
    MAX_WRITE_TIME_SIZE bytes none size of the slowest write
    SIZE_READ_AGG_* count none reads of
    SIZE_WRITE_AGG_* count none writes of`,
  ),
  ...commonAccesses("H5D_"),
  ...counters(
    "H5D_",
    `ACCESS1-4_COUNT count none how often that access occurred
    DATASPACE_NDIMS value none dimensions of the dataspace
    DATASPACE_NPOINTS value none points of the dataspace
    DATATYPE_SIZE bytes none size of one element
    CHUNK_SIZE_D1 value none chunk size in dimension 1 (varies fastest), 0 when not chunked
    CHUNK_SIZE_D2 value none chunk size in dimension 2
    CHUNK_SIZE_D3 value none chunk size in dimension 3
    CHUNK_SIZE_D4 value none chunk size in dimension 4
    CHUNK_SIZE_D5 value none chunk size in dimension 5
    USE_MPIIO_COLLECTIVE flag none 1 when collective transfers were used
    USE_DEPRECATED flag none 1 when the old creation or open call was used
    ${rankLines("none")}`,
  ),
];

export const h5d = fixedModule({
  name: "H5D",
  slots: [-1, 4, 4],
  version: 2,
  headWords: 1,
  integers: h5dIntegers,
  reals: standardReals("H5D_F_"),
  about: "HDF5 datasets; word 2 is the record id of the file",
  older: { 1: { words: 113, upgrade: upgradeMap([0, 2], ZERO, [2, 113]) } },
});
