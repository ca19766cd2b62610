/** DAOS: its file system (DFS) and its native objects. */
import { counters, fixedModule, standardReals, rankLines } from "./module.ts";

const tail = `MAX_READ_TIME_SIZE bytes paired size of the slowest read
  MAX_WRITE_TIME_SIZE bytes paired size of the slowest write
  SIZE_READ_* count sum reads of
  SIZE_WRITE_* count sum writes of
  ACCESS1-4_ACCESS bytes common frequent access size
  ACCESS1-4_COUNT count paired how often that size occurred`;
const ranks = rankLines("paired");

export const dfs = fixedModule({
  name: "DFS",
  slots: [-1, -1, 16],
  version: 1,
  integers: counters(
    "DFS_",
    `OPENS count sum opens
    GLOBAL_OPENS count sum opens from a shared handle
    LOOKUPS count sum lookups
    DUPS count sum duplications, also counted in OPENS
    READS count sum reads
    READXS count sum vector reads
    WRITES count sum writes
    WRITEXS count sum vector writes
    NB_READS count sum non-blocking reads
    NB_WRITES count sum non-blocking writes
    GET_SIZES count sum size queries
    PUNCHES count sum truncations
    REMOVES count sum removals
    STATS count sum calls of the stat family
    BYTES_READ bytes sum bytes read
    BYTES_WRITTEN bytes sum bytes written
    RW_SWITCHES count sum changes between reading and writing
    ${tail}
    CHUNK_SIZE bytes last chunk size of the file
    ${ranks}`,
  ),
  reals: standardReals("DFS_F_", false),
  tailWords: 4,
  tailBytes: [[0, 4]],
  about: "files in a DAOS container; the last 32 bytes are the pool and the container",
  clampSums: true,
  derivedPrefix: "DFS_",
});

export const daos = fixedModule({
  name: "DAOS",
  slots: [-1, -1, 17],
  version: 1,
  integers: counters(
    "DAOS_",
    `OBJ_OPENS count sum object opens
    OBJ_FETCHES count sum object fetches
    OBJ_UPDATES count sum object updates
    OBJ_PUNCHES count sum object punches
    OBJ_DKEY_PUNCHES count sum distribution key punches
    OBJ_AKEY_PUNCHES count sum attribute key punches
    OBJ_DKEY_LISTS count sum distribution key lists
    OBJ_AKEY_LISTS count sum attribute key lists
    OBJ_RECX_LISTS count sum record extent lists
    ARRAY_OPENS count sum array opens
    ARRAY_READS count sum array reads
    ARRAY_WRITES count sum array writes
    ARRAY_GET_SIZES count sum array size queries
    ARRAY_SET_SIZES count sum array truncations
    ARRAY_STATS count sum array stat calls
    ARRAY_PUNCHES count sum array punches
    ARRAY_DESTROYS count sum arrays destroyed
    KV_OPENS count sum key-value opens
    KV_GETS count sum key-value gets
    KV_PUTS count sum key-value puts
    KV_REMOVES count sum key-value removals
    KV_LISTS count sum key-value lists
    KV_DESTROYS count sum key-values destroyed
    NB_OPS count none non-blocking operations
    BYTES_READ bytes sum bytes read
    BYTES_WRITTEN bytes sum bytes written
    RW_SWITCHES count sum changes between reading and writing
    ${tail}
    OBJ_OTYPE value last object type
    ARRAY_CELL_SIZE bytes last size of an array cell
    ARRAY_CHUNK_SIZE bytes last chunk size of the array
    ${ranks}`,
  ),
  reals: standardReals("DAOS_F_", false),
  tailWords: 6,
  tailBytes: [[0, 4]],
  about: "DAOS objects; after the counters pool, container and the two halves of the object id",
  clampSums: true,
  derivedPrefix: "DAOS_",
});
