/**
 * The tables of a job: counters of logs, or counters computed from single calls. Single calls themselves are a stream
 * (calls.ts); what a store holds is in store-schema.ts and store-system.ts.
 * Names are those people type in queries: snake_case, unit last. `origin` says which counter a value comes
 * from, so that any number can be traced back. A new column is a line here, then whoever fills or reads it.
 */

/**
 * i64, u64: exact 64-bit integers (BigInt64Array, BigUint64Array); i32; f64; text; flag (0 or 1).
 * A value that was not recorded is null in text, NaN in f64, and `MISSING_I64` in i64; u64, i32 and flag columns
 * always have one.
 */
export type ColumnType = "i64" | "u64" | "i32" | "f64" | "text" | "flag";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Empty for names and counts without a unit. */
  readonly unit: string;
  readonly meaning: string;
  readonly origin: string;
}

export interface TableSchema {
  readonly name: string;
  /** What one row is. */
  readonly row: string;
  readonly filledBy: string;
  readonly columns: readonly Column[];
}

/** "Not recorded" in an i64 column. Darshan's own -1 ("not available") becomes this too. */
export const MISSING_I64 = -(2n ** 63n);

/** Columns from lines `name type unit | meaning | origin`; a unit of `-` is none. */
export function columns(lines: string): readonly Column[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => {
      const [head = "", meaning = "", origin = ""] = line.split("|").map((part) => part.trim());
      const [name = "", type = "", unit = ""] = head.split(/\s+/);
      return { name, type: type as ColumnType, unit: unit === "-" ? "" : unit, meaning, origin };
    });
}

/** Darshan's ten classes of access sizes; upper bounds are inclusive, K = 1024. */
export const SIZE_NAMES = "0_100 100_1k 1k_10k 10k_100k 100k_1m 1m_4m 4m_10m 10m_100m 100m_1g 1g_plus".split(
  " ",
);

export const sizeColumns = (way: "read" | "write") =>
  SIZE_NAMES.map(
    (size) =>
      `size_${way}_${size} i64 calls | ${way}s of that size class | POSIX_SIZE_${way.toUpperCase()}_${size.toUpperCase()}`,
  ).join("\n");

export const runs: TableSchema = {
  name: "runs",
  row: "one execution of a program",
  filledBy: "Darshan logs; traces of calls",
  columns: columns(`
    run_id text - | identity of the run | hash of the log, or given by the tool
    source text - | file or tool it came from | path
    kind text - | format of the input: darshan, trace, strace, fio … | catalogue of inputs
    job_id text - | scheduler's job number | job record: job id
    user_id text - | user, as in the log | job record: uid
    application text - | base name of the executable | job record: first word of the command line
    command_line text - | program and arguments | job record: text
    ranks i64 processes | processes of the run | job record: nprocs
    start_unix_ns i64 ns | start, since 1970 UTC | job record: start time
    end_unix_ns i64 ns | end, since 1970 UTC | job record: end time
    run_seconds f64 s | run time | end - start (before format 3.41: + 1 s)
    log_version text - | version of the log format | header
    library_version text - | version of the recording library | metadata: lib_ver
    modules text - | modules with data, separated by blanks | header
    partial_modules text - | modules whose data is incomplete, separated by blanks | header: partial flag
    warnings text - | warnings of the importer, one per line | the importer
    synthetic flag - | 1 when generated, 0 when recorded on a machine | metadata: made_by
  `),
};

/** Sizes of a layer's reads or writes, whatever the module calls them. */
const layerSizes = (way: "read" | "write") =>
  SIZE_NAMES.map(
    (size) =>
      `size_${way}_${size} i64 calls | ${way}s of that size class | *_SIZE_${way.toUpperCase()}_${size.toUpperCase()} or *_SIZE_${way.toUpperCase()}_AGG_${size.toUpperCase()}`,
  ).join("\n");

const frequent = (what: "access" | "stride", meaning: string) =>
  [1, 2, 3, 4]
    .flatMap((n) => [
      `${what}${n}_bytes i64 bytes | ${meaning}, no. ${n}; missing when there are fewer | *_${what.toUpperCase()}${n}_${what.toUpperCase()}`,
      `${what}${n}_count i64 calls | how often it occurred | *_${what.toUpperCase()}${n}_COUNT`,
    ])
    .join("\n");

export const layers: TableSchema = {
  name: "layers",
  row: "one file, or dataset of a file, in one layer of one run, all ranks together",
  filledBy: "Darshan logs; traces of calls",
  columns: columns(`
    run_id text - | the run | runs.run_id
    file_id u64 - | record id | record id
    parent_id u64 - | record id of the file that contains the dataset or variable; 0 for files | H5D, PNETCDF_VAR: file record id
    path text - | name | name table
    mount text - | mount point | job record: mount table
    fs_type text - | type of the file system | job record: mount table
    layer text - | POSIX, MPI-IO, STDIO, DFS, DAOS, H5F, H5D, PNETCDF_FILE or PNETCDF_VAR; layers nest and are not added | module
    shared flag - | 1 when the records of all ranks were reduced to one | rank -1
    ranks i64 processes | ranks with a record; all ranks for a shared record | rank of the records
    io_ranks i64 processes | ranks that read or write it; missing for a shared record | records with reads or writes
    opens i64 calls | opens and creates | *_OPENS, MPIIO_INDEP_OPENS + MPIIO_COLL_OPENS
    collective_opens i64 calls | opens by all ranks together | MPIIO_COLL_OPENS
    reads i64 calls | read calls of every kind | *_READS, MPI-IO and PnetCDF: INDEP + COLL + SPLIT + NB
    writes i64 calls | write calls of every kind | *_WRITES, MPI-IO and PnetCDF: INDEP + COLL + SPLIT + NB
    independent_reads i64 calls | reads by one rank | *_INDEP_READS
    independent_writes i64 calls | writes by one rank | *_INDEP_WRITES
    collective_reads i64 calls | reads by all ranks together | *_COLL_READS
    collective_writes i64 calls | writes by all ranks together | *_COLL_WRITES
    split_reads i64 calls | collective reads in two halves | MPIIO_SPLIT_READS
    split_writes i64 calls | collective writes in two halves | MPIIO_SPLIT_WRITES
    nonblocking_reads i64 calls | reads that return at once | *_NB_READS
    nonblocking_writes i64 calls | writes that return at once | *_NB_WRITES
    seeks i64 calls | seeks | *_SEEKS
    stats i64 calls | calls of the stat family | *_STATS
    syncs i64 calls | syncs and flushes | *_FSYNCS + *_FDSYNCS, *_SYNCS, *_FLUSHES
    mmaps i64 calls | memory mappings | POSIX_MMAPS
    hints i64 calls | opens that passed hints | MPIIO_HINTS
    views i64 calls | file views set | MPIIO_VIEWS
    bytes_read i64 bytes | bytes read | *_BYTES_READ
    bytes_written i64 bytes | bytes written | *_BYTES_WRITTEN
    max_byte_read i64 bytes | highest offset read | *_MAX_BYTE_READ
    max_byte_written i64 bytes | highest offset written | *_MAX_BYTE_WRITTEN
    sequential_reads i64 calls | reads beyond the previous one | POSIX_SEQ_READS
    sequential_writes i64 calls | writes beyond the previous one | POSIX_SEQ_WRITES
    consecutive_reads i64 calls | reads starting exactly at the end of the previous one | POSIX_CONSEC_READS
    consecutive_writes i64 calls | writes starting exactly at the end of the previous one | POSIX_CONSEC_WRITES
    rw_switches i64 calls | changes between reading and writing | *_RW_SWITCHES
    memory_not_aligned i64 calls | accesses whose address missed the memory alignment | POSIX_MEM_NOT_ALIGNED
    memory_alignment i64 bytes | memory alignment that was tested | POSIX_MEM_ALIGNMENT
    file_not_aligned i64 calls | accesses whose offset missed the file alignment | POSIX_FILE_NOT_ALIGNED
    file_alignment i64 bytes | file alignment that was tested | POSIX_FILE_ALIGNMENT
    ${layerSizes("read")}
    ${layerSizes("write")}
    ${frequent("access", "a frequent access size")}
    ${frequent("stride", "a frequent gap between accesses")}
    read_seconds f64 s | time in reads, summed over ranks | *_F_READ_TIME
    write_seconds f64 s | time in writes, summed over ranks | *_F_WRITE_TIME
    meta_seconds f64 s | time in metadata operations, summed over ranks | *_F_META_TIME
    wait_seconds f64 s | time in waits for non-blocking requests, summed over ranks | PNETCDF_FILE_F_WAIT_TIME
    sync_seconds f64 s | time of syncs, contained in that of writes, summed over ranks; known from single calls only | single calls
    open_seconds f64 s | time of opens and closes, contained in that of metadata, summed over ranks; known from single calls only | single calls
    stat_seconds f64 s | time of stats, as open_seconds | single calls
    seek_seconds f64 s | time of seeks, as open_seconds | single calls
    longest_read_seconds f64 s | slowest single read | *_F_MAX_READ_TIME
    longest_read_bytes i64 bytes | its size | *_MAX_READ_TIME_SIZE
    longest_write_seconds f64 s | slowest single write | *_F_MAX_WRITE_TIME
    longest_write_bytes i64 bytes | its size | *_MAX_WRITE_TIME_SIZE
    slowest_rank i64 - | rank that spent the most time | *_SLOWEST_RANK when shared, else from the records
    slowest_bytes i64 bytes | bytes it moved | *_SLOWEST_RANK_BYTES when shared, else from the records
    slowest_seconds f64 s | time it spent | *_F_SLOWEST_RANK_TIME when shared, else from the records
    fastest_rank i64 - | rank that spent the least time | *_FASTEST_RANK when shared, else from the records
    fastest_bytes i64 bytes | bytes it moved | *_FASTEST_RANK_BYTES when shared, else from the records
    fastest_seconds f64 s | time it spent | *_F_FASTEST_RANK_TIME when shared, else from the records
    variance_seconds f64 s2 | variance over ranks of the time | *_F_VARIANCE_RANK_TIME when shared, else over the records
    variance_bytes f64 bytes2 | variance over ranks of the bytes | *_F_VARIANCE_RANK_BYTES when shared, else over the records
    open_start_seconds f64 s | first open began, since the start of the run | *_F_OPEN_START_TIMESTAMP
    open_end_seconds f64 s | last open ended | *_F_OPEN_END_TIMESTAMP
    read_start_seconds f64 s | first read began | *_F_READ_START_TIMESTAMP
    read_end_seconds f64 s | last read ended | *_F_READ_END_TIMESTAMP
    write_start_seconds f64 s | first write began | *_F_WRITE_START_TIMESTAMP
    write_end_seconds f64 s | last write ended | *_F_WRITE_END_TIMESTAMP
    close_start_seconds f64 s | first close began | *_F_CLOSE_START_TIMESTAMP
    close_end_seconds f64 s | last close ended | *_F_CLOSE_END_TIMESTAMP
    uses_mpiio i64 - | 1 when HDF5 opened it through MPI-IO | H5F_USE_MPIIO
    uses_collective i64 - | 1 when HDF5 transfers were collective | H5D_USE_MPIIO_COLLECTIVE
    regular_selects i64 calls | accesses through a regular hyperslab | H5D_REGULAR_HYPERSLAB_SELECTS
    irregular_selects i64 calls | accesses through an irregular hyperslab | H5D_IRREGULAR_HYPERSLAB_SELECTS
    point_selects i64 calls | accesses through point selections | H5D_POINT_SELECTS
    points i64 - | elements of the dataset or variable | H5D_DATASPACE_NPOINTS, PNETCDF_VAR_NPOINTS
    element_bytes i64 bytes | size of an element | *_DATATYPE_SIZE
    chunk_bytes i64 bytes | size of a chunk; 0 when not chunked | H5D_CHUNK_SIZE_D1 … D5 × H5D_DATATYPE_SIZE, DFS_CHUNK_SIZE
    stripe_count i64 - | stripes of the first layout component | LUSTRE_COMP_STRIPE_COUNT
    stripe_bytes i64 bytes | stripe size of the first layout component | LUSTRE_COMP_STRIPE_SIZE
    components i64 - | components of the layout | LUSTRE records
    osts text - | OST indexes, separated by blanks | LUSTRE OST list
  `),
};

export const rankLoads: TableSchema = {
  name: "rank_loads",
  row: "one rank in one layer of one run: the files that it did not share with all ranks",
  filledBy: "Darshan logs; traces of calls",
  columns: columns(`
    run_id text - | the run | runs.run_id
    layer text - | module | module
    rank i64 - | process | rank of the records
    files i64 files | files with a record of this rank | records
    opens i64 calls | opens | as in layers
    reads i64 calls | reads | as in layers
    writes i64 calls | writes | as in layers
    bytes_read i64 bytes | bytes read | *_BYTES_READ
    bytes_written i64 bytes | bytes written | *_BYTES_WRITTEN
    read_seconds f64 s | time in reads | *_F_READ_TIME
    write_seconds f64 s | time in writes | *_F_WRITE_TIME
    meta_seconds f64 s | time in metadata operations | *_F_META_TIME
  `),
};

export const counters: TableSchema = {
  name: "counters",
  row: "one counter of one module of one run, over all records",
  filledBy: "Darshan",
  columns: columns(`
    run_id text - | the run | runs.run_id
    module text - | module | module
    name text - | counter as the source names it | counter
    unit text - | unit as the source counts it | counter
    rule text - | how records were combined: sum, max, first, last, common or paired | darshan-parser --total
    meaning text - | what it counts | counter
    integer i64 - | value of an integer counter; missing when it was not recorded | counter
    real f64 - | value of a real counter | counter
  `),
};

export const SCHEMA: readonly TableSchema[] = [runs, layers, rankLoads, counters];
