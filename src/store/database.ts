/** DuckDB, set up so that it keeps to the memory, the folders and the peace that it was given. */
import { assert } from "../base/assert.ts";
import { accessSync, constants, existsSync, mkdirSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir, totalmem } from "node:os";
import { join, resolve } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { makeFolder } from "../node/folders.ts";
import { newBatchId, patternOf, TMP } from "./layout.ts";

export interface StoreOptions {
  /** What DuckDB may hold in memory; more is spilled to disk. Its process takes up to 1.8 times that (measured). */
  readonly memoryBytes?: number;
  readonly threads?: number;
  /** Where queries spill; the store's own tmp folder unless given. */
  readonly tempFolder?: string;
}

export interface Database {
  readonly connection: DuckDBConnection;
  readonly memoryBytes: number;
  readonly threads: number;
  /** Where this database, and whoever uses it, puts what does not fit into memory; gone when it is closed. */
  readonly spill: string;
  connect(): Promise<DuckDBConnection>;
  close(): void;
}

/** A new database in memory. `close` also removes what it spilled. */
export async function openDatabase(store: string, options: StoreOptions = {}): Promise<Database> {
  const memoryBytes = options.memoryBytes ?? defaultMemoryBytes();
  const threads = options.threads ?? availableParallelism();
  assert(memoryBytes > 0 && threads >= 1, "DuckDB has memory and a thread");
  const spill = join(options.tempFolder ?? spillFolder(store), `${newBatchId()}-spill`);
  if (options.tempFolder !== undefined) makeFolder(options.tempFolder);
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: memoryLimit(memoryBytes),
    threads: String(threads),
    temp_directory: spill,
    preserve_insertion_order: "false",
    // The system keeps what was read of a file; a second copy costs memory, and more time than it saves.
    enable_external_file_cache: "false",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  // Results are read piece by piece, each while DuckDB makes the next: a larger buffer is filled while we wait.
  await connection.run("set streaming_buffer_size = '1KB'");
  let open = true;
  return {
    connection,
    memoryBytes,
    threads,
    spill,
    connect: () => instance.connect(),
    close() {
      if (!open) return;
      open = false;
      connection.closeSync();
      instance.closeSync();
      rmSync(spill, { recursive: true, force: true });
    },
  };
}

/** DuckDB cannot do anything with less. */
const MEMORY_LEAST = 32 * 1024 * 1024;

/** A limit as DuckDB is told it. */
export function memoryLimit(bytes: number): string {
  assert(bytes > 0, "a limit is a number of bytes");
  return `${Math.max(Math.floor(bytes), MEMORY_LEAST)}B`;
}

/** Half of what this process may have: DuckDB needs more than its limit says, and we need some too. */
function defaultMemoryBytes(): number {
  const allowed = process.constrainedMemory?.() ?? 0;
  const total = totalmem();
  return Math.floor((allowed > 0 && allowed < total ? allowed : total) / 2);
}

/** A store that we may only read still has to be queried. */
function spillFolder(store: string): string {
  const own = join(store, TMP);
  try {
    if (!existsSync(own)) mkdirSync(own);
    accessSync(own, constants.W_OK);
    return own;
  } catch {
    return tmpdir();
  }
}

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * A path for functions that take patterns: as a name, whatever is in it. It is absolute, since DuckDB puts `./` in front of
 * a relative one that it finds by a pattern, and takes `s3:` and `file:` for addresses.
 */
export const quotePath = (path: string): string => quoteText(patternOf(resolve(path)));

/** A relation of the rows of Parquet files: what is in them, and nothing that their names say (`ranks=64/`). */
export function parquetRows(paths: readonly string[], { fileNames = false } = {}): string {
  assert(paths.length > 0, "a relation of files has files");
  const names = fileNames ? ", filename = true" : "";
  return `read_parquet([${paths.map(quotePath).join(", ")}], hive_partitioning = false${names})`;
}
