/**
 * Rows of `target_states`, `servers` and `exports`: what a collector says of servers beside the counters of targets. Each
 * table tells by its times what the store has, so the same state adds nothing the second time.
 */
import {
  type RowSink,
  storedExports,
  storedServers,
  storedTargetStates,
  type TableSchema,
  type Value,
} from "../../model/index.ts";
import type { CounterGrowth, SegmentClient, SegmentState } from "../../formats/samples/index.ts";
import type { InputOrigin } from "../origin.ts";
import { slotsOf, METADATA_SLOT, NO_SLOT, SLOT_COLUMNS } from "./counter-slots.ts";
import type { TargetFile } from "./reading-rows.ts";

type Row = Readonly<Record<string, Value | undefined>>;

const MINUTE_NS = 60_000_000_000n;
const HOUR_NS = 60n * MINUTE_NS;
const LARGEST = 2n ** 63n - 1n;
const TABLES = [storedTargetStates, storedServers, storedExports];
const EXPORT_COLUMNS = new Set(storedExports.columns.map(({ name }) => name));

/** How coverage calls these tables. */
export const STATE_KINDS = { targets: "target_states", servers: "servers", exports: "export_stats" } as const;

const secondsOf = (fromNs: bigint | undefined, toNs: bigint) =>
  fromNs === undefined ? null : Number(toNs - fromNs) / 1e9;

export class StateRows {
  readonly #origin: Pick<InputOrigin, "flag">;
  readonly #rows = new Map<TableSchema, Row[]>(TABLES.map((table) => [table, []]));

  constructor(origin: Pick<InputOrigin, "flag">) {
    this.#origin = origin;
  }

  get rows(): number {
    return TABLES.reduce((sum, table) => sum + this.#of(table).length, 0);
  }

  /** Where to go back to when an input turns out to be damaged. */
  mark(): readonly number[] {
    return TABLES.map((table) => this.#of(table).length);
  }

  back(mark: readonly number[]): void {
    for (const [i, table] of TABLES.entries()) this.#of(table).length = mark[i] as number;
  }

  target({ fileSystem, target, server }: TargetFile, { status, numbers, ...times }: SegmentState): void {
    const { fromNs, toNs } = times;
    this.#of(storedTargetStates).push({
      ...{ file_system: fileSystem || null, target, server, minute_unix: toNs / MINUTE_NS },
      ...{ from_unix_ns: fromNs, to_unix_ns: toNs, ...numbers, recovery: status },
      synthetic: this.#origin.flag,
    });
  }

  server(server: string | null, { fromNs, toNs, status, numbers, reset }: SegmentState): void {
    this.#of(storedServers).push({
      ...{ server, minute_unix: toNs / MINUTE_NS, from_unix_ns: fromNs, to_unix_ns: toNs },
      ...{ seconds: secondsOf(fromNs, toNs), health: status, ...numbers, why: reset ? "reset" : null },
      synthetic: this.#origin.flag,
    });
  }

  /** What a client did; counters that the table has no column for are left out. */
  client(file: TargetFile, fromNs: bigint, toNs: bigint, { client, counters }: SegmentClient): void {
    const values: Record<string, bigint> = {};
    let why: string | null = null;
    const add = (slot: number, value: bigint) => {
      const name = slot === NO_SLOT ? "" : (SLOT_COLUMNS[slot] as string);
      if (!EXPORT_COLUMNS.has(name)) return;
      const sum = (values[name] ?? 0n) + value;
      values[name] = sum > LARGEST ? LARGEST : sum;
    };
    for (const { name, unit, samples, sum, why: reason } of counters as readonly CounterGrowth[]) {
      const slots = slotsOf(name, unit, file.target.startsWith("MDT") ? "MDT" : "OST");
      if (slots === undefined) continue;
      add(slots.sum, sum);
      add(slots.samples, samples);
      if (slots.metadata) add(METADATA_SLOT, samples);
      if (reason !== "grown") why = reason;
    }
    if (Object.keys(values).length === 0) return;
    this.#of(storedExports).push({
      ...{ file_system: file.fileSystem || null, target: file.target, server: file.server, client },
      ...{ hour_unix: toNs / HOUR_NS, from_unix_ns: fromNs, to_unix_ns: toNs },
      ...{ seconds: secondsOf(fromNs, toNs), ...values, why, synthetic: this.#origin.flag },
    });
  }

  async flush(sink: RowSink): Promise<void> {
    for (const table of TABLES) {
      const rows = this.#of(table).splice(0);
      if (rows.length === 0) continue;
      const columns: Record<string, Value[]> = {};
      for (const { name } of table.columns) columns[name] = rows.map((row) => row[name] ?? null);
      await sink.append(table, rows.length, columns);
    }
  }

  #of(table: TableSchema): Row[] {
    return this.#rows.get(table) as Row[];
  }
}
