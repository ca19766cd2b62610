/** All files, grouped: the only step whose memory grows with the number of files, selected or not. */
import type { Queryable } from "../../../model/index.ts";
import { digitBinSql, logBinSql } from "./charts.ts";
import { number } from "./item.ts";
import type { ReuseOptions } from "./options.ts";

interface Grouping {
  /** What the database may take in any case, and where it needs more. */
  readonly leastBytes: number;
  readonly mostBytes: number;
  /** The number of the mount of all accesses, where there is one only. */
  readonly onlyMount?: number | undefined;
}

/**
 * `reuse_grouped`: each selected file is a row with its bytes and runs; the others are counted together where A02 and A03
 * say the same of them, so that a table of all files is never kept.
 */
export async function groupFiles(
  db: Queryable,
  options: ReuseOptions,
  { leastBytes, mostBytes, onlyMount }: Grouping,
): Promise<void> {
  const need = (await filesAtMost(db)) * BYTES_PER_GROUP;
  const memoryBytes = Math.max(leastBytes, Math.min(mostBytes, need));
  const slices = Math.max(1, Math.ceil(need / memoryBytes));
  await db.limitMemory(memoryBytes);
  // Doubles take half the room and time of exact sums, and are as exact while no sum passes 2^53; more is rare.
  if (options.minBytes < Number.MAX_SAFE_INTEGER) {
    await groupAll(db, { options, adding: "double", slices, onlyMount });
    // A sum that does not fit in 64 bits is NULL.
    const [{ large } = { large: 0 }] = await db.rows(`select count(*) as large from reuse_grouped
      where file_id is not null and coalesce(greatest(bytes_read, bytes_written) >= ${Number.MAX_SAFE_INTEGER}
        or bytes_read is null or bytes_written is null, true)`);
    if (number(large) === 0) return;
  }
  await groupAll(db, { options, adding: "bigint", slices, onlyMount });
}

/** `reuse_grouped` of what the parts of a study counted: a file is in one of them, and counts of the others add up. */
export async function joinGroups(db: Queryable): Promise<void> {
  const keys = [...KEY_BITS, "bin_x", "bin_y"].join(", ");
  await db.run(`create or replace table reuse_grouped as
    select file_id, m.mount_no, ${keys}, bytes_read, bytes_written, runs, files
    from ${db.part?.("grouped")} g join reuse_mounts m on g.mount is not distinct from m.mount where file_id is not null
    union all
    select null, null, ${keys}, null, null, cast(sum(runs) as bigint), cast(sum(files) as bigint)
    from ${db.part?.("grouped")} where file_id is null group by ${keys}`);
}

/** Forgets which files were selected: from then on `reuse_grouped` is as small as there are few kinds of files. */
export async function countGroups(db: Queryable): Promise<void> {
  const keys = [...KEY_BITS, "bin_x", "bin_y"].join(", ");
  await db.run(`create or replace table reuse_grouped as
    select ${keys}, cast(sum(runs) as bigint) as runs, cast(sum(files) as bigint) as files
    from reuse_grouped group by ${keys}`);
}

/** As a part hands it over: mounts have other numbers elsewhere. */
export const GROUPED =
  "select g.* exclude (mount_no), m.mount from reuse_grouped g left join reuse_mounts m on g.mount_no = m.mount_no";

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

interface Keyed {
  readonly options: ReuseOptions;
  readonly adding: "double" | "bigint";
  readonly slices: number;
  readonly onlyMount: number | undefined;
}

/** In slices by file, each of which fits in memory: reading three columns again is cheaper than spilling them. */
async function groupAll(db: Queryable, keyed: Keyed): Promise<void> {
  const { adding, slices } = keyed;
  for (let slice = 0; slice < slices; slice++) {
    const select = keyedSql(keyed, slices === 1 ? "true" : `hash(file_id) % ${slices} = ${slice}`);
    await db.run(
      slice === 0 ? `create or replace table reuse_keyed as ${select}` : `insert into reuse_keyed ${select}`,
    );
  }
  const exact = adding === "double" ? "bigint" : "hugeint";
  const bits = KEY_BITS.map((name, bit) => `(key >> ${bit}) & 1 = 1 as ${name}`);
  const bin = (above: number) => `cast((key // ${2 ** KEY_BITS.length * above}) % ${BINS} as integer)`;
  await db.run(`create or replace table reuse_grouped as
    select file_id, if(file_id is null, null, cast(key // ${KEYS} - 1 as usmallint)) as mount_no, ${bits.join(", ")},
      nullif(${bin(1)}, 0) - 1 as bin_x, ${bin(BINS)} as bin_y, try_cast(bytes_read as ${exact}) as bytes_read,
      try_cast(bytes_written as ${exact}) as bytes_written, cast(runs as bigint) as runs, files
    from reuse_keyed`);
  await db.run("drop table reuse_keyed");
}

/** One number tells files apart: millions of them are grouped by it, and by the file itself where it is selected. */
function keyedSql({ options, adding, onlyMount }: Keyed, where: string): string {
  const sum = (column: string) => `coalesce(sum(cast(${column} as ${adding})), 0)`;
  const large = `total >= ${BigInt(Math.ceil(options.minBytes))}`;
  const often = `runs >= ${options.minRuns}`;
  const chosen = `(${large} and ${often})`;
  // Each of these is asked of every file: the fewer the better.
  const bits = [
    `if(${large}, ${bit("large")}, 0)`,
    `if(runs = 1, ${bit("once") + (options.minRuns <= 1 ? bit("often") : 0)}, if(${often}, ${bit("often")}, 0))`,
    `case when total < 1000000000 then ${bit("below_1gb") + bit("below_100gb")}
      when total < 100000000000 then ${bit("below_100gb")} else 0 end`,
  ];
  const bins = `if(total > 0, 1 + ${logBinSql("cast(total as double)")}, 0) + ${BINS} * ${digitBinSql("runs")}`;
  const mount = onlyMount ?? "mount_no";
  return `select file_id, key, any_value(bytes_read) as bytes_read, any_value(bytes_written) as bytes_written,
      sum(cast(runs as double)) as runs, count(*) as files
    from (select if(${chosen}, file_id, null) as file_id, bytes_read, bytes_written, runs,
        if(${chosen}, (1 + cast(${mount} as bigint)) * ${KEYS}, 0) + ${bits.join(" + ")}
          + ${2 ** KEY_BITS.length} * (${bins}) as key
      from (select *, bytes_read + bytes_written as total
        from (select file_id, ${onlyMount === undefined ? "mount_no," : ""} ${sum("r")} as bytes_read,
            ${sum("w")} as bytes_written, count(*) as runs
          from reuse_input where ${where} group by file_id ${onlyMount === undefined ? ", mount_no" : ""})))
    group by file_id, key`;
}

const bit = (name: (typeof KEY_BITS)[number]): number => 1 << KEY_BITS.indexOf(name);
