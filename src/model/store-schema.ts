/**
 * The tables of a store, as they lie on disk: what many runs become, in columns that studies read without a join. What
 * was not recorded is NULL. A run is known by the first eight bytes of the SHA-256 of its log, a program by those of its
 * name.
 */
import { columns, sizeColumns, type TableSchema } from "./schema.ts";
import { STORE_LEVELS } from "./store-levels.ts";
import { SYSTEM_SCHEMA } from "./store-system.ts";

export const storedRuns: TableSchema = {
  name: "runs",
  row: "one execution of a program",
  filledBy: "ingest; generate",
  columns: columns(`
    run_id u64 - | identity of the run | first eight bytes of the SHA-256 of the log
    source text - | file that it came from | path
    job_id text - | scheduler's job number | job record: job id
    user_id i64 - | user number | job record: uid
    application text - | base name of the executable | job record: first word of the command line
    application_id u64 - | number of that name | first eight bytes of its SHA-256
    command_line text - | program and arguments | job record: text
    ranks i64 processes | processes of the run | job record: nprocs
    start_unix_ns i64 ns | start, since 1970 UTC | job record: start time
    end_unix_ns i64 ns | end, since 1970 UTC | job record: end time
    run_seconds f64 s | run time | end - start (before format 3.41: + 1 s)
    clock text - | ok, or what is wrong with its times: no end, end before start, too early, in the future | start and end
    files i64 files | files with a record | records
    bytes_read i64 bytes | bytes read below MPI-IO, all files | as in accesses
    bytes_written i64 bytes | bytes written below MPI-IO, all files | as in accesses
    log_version text - | version of the log format | header
    library_version text - | version of the recording library | metadata: lib_ver
    modules text - | modules with data, separated by blanks | header
    partial_modules text - | modules whose data is incomplete, separated by blanks | header: partial flag
    warnings text - | warnings of the importer, one per line | the importer
    negative_counters i64 values | counters and times that were negative or out of range, and left out | the importer
    synthetic flag - | 1 when generated, 0 when recorded on a machine | metadata: made_by; README.txt of the folder
    zone text - | time zone of the site, such as Europe/Berlin; NULL if not given | metadata: zone; ingest --zone
  `),
};

export const storedAccesses: TableSchema = {
  name: "accesses",
  row: "one file in one run, all ranks together",
  filledBy: "ingest; generate",
  columns: columns(`
    run_id u64 - | the run | runs.run_id
    file_id u64 - | record id of the file | record id
    application_id u64 - | program of the run | runs.application_id
    user_id i64 - | user of the run | runs.user_id
    start_unix_ns i64 ns | start of the run, since 1970 UTC | runs.start_unix_ns
    end_unix_ns i64 ns | end of the run, since 1970 UTC | runs.end_unix_ns
    mount text - | mount point of the file | job record: mount table
    fs_type text - | type of the file system | job record: mount table
    layer text - | MPI-IO when it has an MPI-IO record, else STDIO when only STDIO moved bytes, else POSIX or DFS | modules with a record
    ranks i64 processes | ranks with a record; all ranks for a shared record | rank of the records
    shared flag - | 1 when the records of all ranks were reduced to one | rank -1
    partial flag - | 1 when a module that it comes from is incomplete: its numbers are lower bounds | header: partial flag
    bytes_read i64 bytes | bytes read below MPI-IO (layers nest and are not added) | POSIX_BYTES_READ + STDIO_BYTES_READ, DFS_BYTES_READ
    bytes_written i64 bytes | bytes written below MPI-IO | POSIX_BYTES_WRITTEN + STDIO_BYTES_WRITTEN, DFS_BYTES_WRITTEN
    opens i64 calls | opens | POSIX_OPENS + STDIO_OPENS, DFS_OPENS
    reads i64 calls | read calls | POSIX_READS + STDIO_READS, DFS_READS
    writes i64 calls | write calls | POSIX_WRITES + STDIO_WRITES, DFS_WRITES
    seeks i64 calls | seek calls | POSIX_SEEKS + STDIO_SEEKS
    stats i64 calls | stat calls | POSIX_STATS, DFS_STATS
    syncs i64 calls | fsync, fdatasync and flush calls | POSIX_FSYNCS + POSIX_FDSYNCS + STDIO_FLUSHES
    sequential_reads i64 calls | reads beyond the previous one | POSIX_SEQ_READS
    sequential_writes i64 calls | writes beyond the previous one | POSIX_SEQ_WRITES
    consecutive_reads i64 calls | reads starting exactly at the end of the previous one | POSIX_CONSEC_READS
    consecutive_writes i64 calls | writes starting exactly at the end of the previous one | POSIX_CONSEC_WRITES
    not_aligned i64 calls | accesses that missed the file alignment | POSIX_FILE_NOT_ALIGNED
    mpiio_bytes_read i64 bytes | bytes read through MPI-IO, a view of the same data | MPIIO_BYTES_READ
    mpiio_bytes_written i64 bytes | bytes written through MPI-IO, a view of the same data | MPIIO_BYTES_WRITTEN
    mpiio_collective i64 calls | collective reads and writes | MPIIO_COLL_READS + MPIIO_COLL_WRITES
    mpiio_independent i64 calls | independent reads and writes | MPIIO_INDEP_READS + MPIIO_INDEP_WRITES
    read_seconds f64 s | time in reads, summed over ranks | POSIX_F_READ_TIME + STDIO_F_READ_TIME
    write_seconds f64 s | time in writes, summed over ranks | POSIX_F_WRITE_TIME + STDIO_F_WRITE_TIME
    meta_seconds f64 s | time in metadata operations, summed over ranks | POSIX_F_META_TIME + STDIO_F_META_TIME
    slowest_seconds f64 s | I/O time of the slowest rank | F_SLOWEST_RANK_TIME when shared, else the largest sum of a rank
    fastest_seconds f64 s | I/O time of the fastest rank | F_FASTEST_RANK_TIME when shared, else the smallest sum of a rank
    variance_seconds f64 s2 | variance over ranks of I/O time | F_VARIANCE_RANK_TIME when shared, else over the records
    variance_bytes f64 bytes2 | variance over ranks of bytes moved | F_VARIANCE_RANK_BYTES when shared, else over the records
    ${sizeColumns("read")}
    ${sizeColumns("write")}
    stripe_count i64 - | stripes of the first layout component | LUSTRE_COMP_STRIPE_COUNT
    stripe_bytes i64 bytes | stripe size of the first layout component | LUSTRE_COMP_STRIPE_SIZE
    osts text - | OST indexes, separated by blanks | LUSTRE OST list
  `),
};

export const storedFiles: TableSchema = {
  name: "files",
  row: "the name of a file in one batch of runs; a file can have several rows",
  filledBy: "ingest; generate",
  columns: columns(`
    file_id u64 - | record id of the file | record id
    path text - | name; bytes that are not UTF-8 become U+FFFD | name table
    mount text - | mount point | job record: mount table
    fs_type text - | type of the file system | job record: mount table
  `),
};

export const storedSources: TableSchema = {
  name: "sources",
  row: "one input file",
  filledBy: "ingest",
  columns: columns(`
    hash_high u64 - | first eight bytes of the SHA-256 of the input: the run_id of its run | content
    hash_low u64 - | next eight bytes | content
    path text - | path at ingest | path
    input_bytes i64 bytes | its size | file
    status text - | stored, or skipped | ingest
    reason text - | why it was skipped; missing when it was stored | ingest
  `),
};

/** All tables of a store. */
export const STORE_SCHEMA: readonly TableSchema[] = [
  storedRuns,
  storedAccesses,
  storedFiles,
  storedSources,
  ...SYSTEM_SCHEMA,
  ...STORE_LEVELS.map(({ table }) => table),
];

/**
 * Changes whenever a table of the store changes or comes; upgrades go from one number to the next. A program that does not
 * know a table would lose its rows in a compaction, so it must not go on.
 */
export const STORE_VERSION = 8;
