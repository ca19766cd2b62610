/** MPI-IO: what the application asked of MPI files. */
import { counters, fixedModule, MINUS_ONE_REAL, standardReals, upgradeMap, rankLines } from "./module.ts";

const integers = counters(
  "MPIIO_",
  `INDEP_OPENS count sum opens on a communicator of one process
  COLL_OPENS count sum collective opens
  INDEP_READS count sum independent reads
  INDEP_WRITES count sum independent writes
  COLL_READS count sum collective reads
  COLL_WRITES count sum collective writes
  SPLIT_READS count sum split-collective reads
  SPLIT_WRITES count sum split-collective writes
  NB_READS count sum non-blocking reads
  NB_WRITES count sum non-blocking writes
  SYNCS count sum sync calls
  HINTS count sum opens that passed hints
  VIEWS count sum file views set
  MODE mode last access mode of the last open
  BYTES_READ bytes sum bytes read
  BYTES_WRITTEN bytes sum bytes written
  RW_SWITCHES count sum changes between reading and writing
  MAX_READ_TIME_SIZE bytes paired size of the slowest read
  MAX_WRITE_TIME_SIZE bytes paired size of the slowest write
  SIZE_READ_AGG_* count sum reads of
  SIZE_WRITE_AGG_* count sum writes of
  ACCESS1-4_ACCESS bytes common frequent access size
  ACCESS1-4_COUNT count paired how often that size occurred
  ${rankLines("paired")}`,
);

const olderRecord = {
  words: 68,
  upgrade: upgradeMap([0, 56], MINUS_ONE_REAL, MINUS_ONE_REAL, [56, 68]),
};

export const mpiio = fixedModule({
  name: "MPI-IO",
  slots: [2, 2, 2],
  version: 3,
  integers,
  reals: standardReals("MPIIO_F_"),
  about: "MPI-IO calls on files, in the sizes the MPI datatype describes",
  needsFirstCommon: true,
  derivedPrefix: "MPIIO_",
  older: { 1: olderRecord, 2: olderRecord },
});
