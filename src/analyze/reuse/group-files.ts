/** All files, grouped: the only step whose memory grows with the number of files, selected or not. */
import type { Queryable } from "../../model/query.ts";
import { digitBinSql, logBinSql } from "./charts.ts";
import { number } from "./item.ts";
import type { ReuseOptions } from "./options.ts";

/** Data moved by a file. */
const TOTAL = "(bytes_read + bytes_written)";

/**
 * `reuse_grouped`: each selected file is a row with its bytes and runs; the others are counted together where A02 and A03
 * say the same of them, so that a table of all files is never kept.
 */
export async function groupFiles(db: Queryable, options: ReuseOptions, memoryBytes: number): Promise<void> {
  const slices = Math.max(1, Math.ceil(((await filesAtMost(db)) * BYTES_PER_GROUP) / memoryBytes));
  // Doubles take half the room and time of exact sums, and are as exact while no sum passes 2^53; more is rare.
  if (options.minBytes < Number.MAX_SAFE_INTEGER) {
    await groupAll(db, options, "double", slices);
    // A sum that does not fit in 64 bits is NULL.
    const [{ large } = { large: 0 }] = await db.rows(`select count(*) as large from reuse_grouped
      where file_id is not null and coalesce(greatest(bytes_read, bytes_written) >= ${Number.MAX_SAFE_INTEGER}
        or bytes_read is null or bytes_written is null, true)`);
    if (number(large) === 0) return;
  }
  await groupAll(db, options, "bigint", slices);
}

/** What a file takes while all are grouped; measured. */
const BYTES_PER_GROUP = 64;

/** About how many files there are, which is known without reading a column. */
async function filesAtMost(db: Queryable): Promise<number> {
  const [row] = await db.rows(
    "select (select count(*) from files) as files, (select count(*) from accesses) as accesses",
  );
  const [files, accesses] = [number(row?.files), number(row?.accesses)];
  return files === 0 ? accesses : Math.min(files, accesses);
}

/** Bits of the key by which files are counted, from the lowest; above them the number of the mount, of selected files. */
const KEY_BITS = ["large", "often", "below_1gb", "below_100gb", "once"] as const;
const BINS = 1024;
const KEYS = 2 ** KEY_BITS.length * BINS * BINS;

/** In slices by file, each of which fits in memory: reading three columns again is cheaper than spilling them. */
async function groupAll(db: Queryable, options: ReuseOptions, adding: string, slices: number): Promise<void> {
  for (let slice = 0; slice < slices; slice++) {
    const select = keyedSql(options, adding, slices === 1 ? "true" : `hash(file_id) % ${slices} = ${slice}`);
    await db.run(
      slice === 0
        ? `create or replace temp table reuse_keyed as ${select}`
        : `insert into reuse_keyed ${select}`,
    );
  }
  const exact = adding === "double" ? "bigint" : "hugeint";
  const bits = KEY_BITS.map((name, bit) => `(key >> ${bit}) & 1 = 1 as ${name}`);
  const bin = (above: number) => `cast((key // ${2 ** KEY_BITS.length * above}) % ${BINS} as integer)`;
  await db.run(`create or replace temp table reuse_grouped as
    select file_id, if(file_id is null, null, cast(key // ${KEYS} - 1 as usmallint)) as mount_no, ${bits.join(", ")},
      nullif(${bin(1)}, 0) - 1 as bin_x, ${bin(BINS)} as bin_y, try_cast(bytes_read as ${exact}) as bytes_read,
      try_cast(bytes_written as ${exact}) as bytes_written, cast(runs as bigint) as runs, files
    from reuse_keyed`);
  await db.run("drop table reuse_keyed");
}

/** One number tells files apart: millions of them are grouped by it, and by the file itself where it is selected. */
function keyedSql(options: ReuseOptions, adding: string, where: string): string {
  const total = (column: string) => `coalesce(sum(cast(${column} as ${adding})), 0)`;
  const flags = {
    large: `${TOTAL} >= ${BigInt(Math.ceil(options.minBytes))}`,
    often: `runs >= ${options.minRuns}`,
    below_1gb: `${TOTAL} < 1000000000`,
    below_100gb: `${TOTAL} < 100000000000`,
    once: "runs = 1",
  };
  const chosen = `(${flags.large} and ${flags.often})`;
  const bits = KEY_BITS.map((name, bit) => `if(${flags[name]}, ${1 << bit}, 0)`);
  const bins = `if(${TOTAL} > 0, 1 + ${logBinSql(`cast(${TOTAL} as double)`)}, 0) + ${BINS} * ${digitBinSql("runs")}`;
  return `select file_id, key, any_value(bytes_read) as bytes_read, any_value(bytes_written) as bytes_written,
      sum(cast(runs as double)) as runs, count(*) as files
    from (select if(${chosen}, file_id, null) as file_id, bytes_read, bytes_written, runs,
        if(${chosen}, (1 + cast(mount_no as bigint)) * ${KEYS}, 0) + ${bits.join(" + ")}
          + ${2 ** KEY_BITS.length} * (${bins}) as key
      from (select file_id, mount_no, ${total("r")} as bytes_read, ${total("w")} as bytes_written, count(*) as runs
        from reuse_input where ${where} group by file_id, mount_no))
    group by file_id, key`;
}
