/** PnetCDF: files and variables. */
import { commonAccesses } from "./hdf5.ts";
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

// The opens of versions 1 and 2 are the independent plus the collective ones (words 2 and 3).
const addInto = { word: 3, a: 2, b: 3 };
const integersOfOld = [
  [0, 2],
  MINUS_ONE,
  ZERO,
  MINUS_ONE,
  MINUS_ONE,
  MINUS_ONE,
  MINUS_ONE,
  MINUS_ONE,
  MINUS_ONE,
  MINUS_ONE,
] as const;

export const pnetcdfFile = fixedModule({
  name: "PNETCDF_FILE",
  slots: [4, 5, 5],
  version: 3,
  integers: counters(
    "PNETCDF_FILE_",
    `CREATES count none files created
    OPENS count none files opened
    REDEFS count none times definition mode was entered again
    INDEP_WAITS count none independent waits for non-blocking requests
    COLL_WAITS count none collective waits
    SYNCS count none sync calls
    BYTES_READ bytes none bytes read
    BYTES_WRITTEN bytes none bytes written
    WAIT_FAILURES count none waits that failed`,
  ),
  reals: counters(
    "PNETCDF_FILE_F_",
    `OPEN_START_TIMESTAMP seconds none first open began
    CLOSE_START_TIMESTAMP seconds none first close began
    WAIT_START_TIMESTAMP seconds none first wait began
    OPEN_END_TIMESTAMP seconds none last open ended
    CLOSE_END_TIMESTAMP seconds none last close ended
    WAIT_END_TIMESTAMP seconds none last wait ended
    META_TIME seconds none time in metadata operations
    WAIT_TIME seconds none time in waits`,
  ),
  about: "PnetCDF files",
  older: {
    1: {
      words: 6,
      addInto,
      upgrade: upgradeMap(
        ...integersOfOld,
        4,
        MINUS_ONE_REAL,
        MINUS_ONE_REAL,
        MINUS_ONE_REAL,
        5,
        MINUS_ONE_REAL,
        MINUS_ONE_REAL,
        MINUS_ONE_REAL,
      ),
    },
    2: {
      words: 8,
      addInto,
      upgrade: upgradeMap(
        ...integersOfOld,
        [4, 6],
        MINUS_ONE_REAL,
        [6, 8],
        MINUS_ONE_REAL,
        MINUS_ONE_REAL,
        MINUS_ONE_REAL,
      ),
    },
  },
});

const apiCounts = (["PUT", "GET", "IPUT", "IGET", "BPUT"] as const).flatMap((verb) => {
  const forms = [
    "VAR",
    "VAR1",
    "VARA",
    "VARS",
    "VARM",
    "VARN",
    ...(verb === "PUT" || verb === "GET" ? ["VARD"] : []),
  ];
  return forms.map(
    (form) => `${verb}_${form} count none calls of ${verb.toLowerCase()}_${form.toLowerCase()}`,
  );
});

export const pnetcdfVar = fixedModule({
  name: "PNETCDF_VAR",
  slots: [-1, -1, 6],
  version: 1,
  headWords: 1,
  integers: [
    ...counters(
      "PNETCDF_VAR_",
      `OPENS count none times the variable was looked up or defined
      INDEP_READS count none independent reads
      INDEP_WRITES count none independent writes
      COLL_READS count none collective reads
      COLL_WRITES count none collective writes
      NB_READS count none non-blocking reads
      NB_WRITES count none non-blocking writes
      BYTES_READ bytes none bytes read
      BYTES_WRITTEN bytes none bytes written
      RW_SWITCHES count none changes between reading and writing
      ${apiCounts.join("\n")}
      MAX_READ_TIME_SIZE bytes none size of the slowest read
      MAX_WRITE_TIME_SIZE bytes none size of the slowest write
      SIZE_READ_AGG_* count none reads of
      SIZE_WRITE_AGG_* count none writes of`,
    ),
    ...commonAccesses("PNETCDF_VAR_"),
    ...counters(
      "PNETCDF_VAR_",
      `ACCESS1-4_COUNT count none how often that access occurred
      NDIMS value none dimensions of the variable
      NPOINTS value none points of the variable
      DATATYPE_SIZE bytes none size of one element
      IS_RECORD_VAR flag none 1 for a variable with the unlimited dimension
      ${rankLines("none")}`,
    ),
  ],
  reals: standardReals("PNETCDF_VAR_F_"),
  about: "PnetCDF variables; word 2 is the record id of the file",
});
