// The suite that formats with counters run: found by its bytes, gives the rows and calls of its golden, and always the same.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type ByteSource, bytesSource } from "../../src/base/source.ts";
import { DarshanLog, detectFormat, importLog, type InputFormat } from "../../src/library/formats.ts";
import { collectingSink } from "../../src/formats/test-kit.ts";
import { type Table, type Tables, TablesBuilder } from "../../src/model/index.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";

const TEST_FOLDER = dirname(dirname(fileURLToPath(import.meta.url)));
/** A name that says nothing, so that only bytes can tell. */
const SOURCE_NAME = "input-1";

type CounterFormat = InputFormat & Required<Pick<InputFormat, "counters">>;

export interface FormatCase {
  readonly format: CounterFormat;
  /** Path of the fixture below test/fixtures. */
  readonly fixture: string;
  /** Of a table with very many rows only the first are in the golden; others are there in full. */
  readonly rowsMax?: Readonly<Record<string, number>>;
  /** Rows per table that the fixture is known to hold. */
  readonly rows: Readonly<Record<string, number>>;
  /** Calls that it is known to hold. */
  readonly calls: number;
}

export function describeFormat(testCase: FormatCase): void {
  const { format, fixture } = testCase;
  describe(`${format.id}: ${fixture}`, () => {
    const bytes = readFileSync(join(TEST_FOLDER, "fixtures", fixture));
    const source = () => bytesSource(bytes, SOURCE_NAME);

    it("is found by its bytes under a name that says nothing", () => {
      expect(detectFormat(source(), "counters")).toBe(format);
    });

    it("is not found when its first bytes are others", () => {
      const other = Buffer.from(bytes);
      other.fill(0x20, 0, 64);
      expect(format.recognizes(other.subarray(0, 4096), SOURCE_NAME)).toBe(false);
      expect(format.recognizes(new Uint8Array(0), SOURCE_NAME)).toBe(false);
    });

    it("has as many rows as are known", () => {
      const { tables, calls } = imported(format, source());
      expect(calls).toHaveLength(testCase.calls);
      const rows = Object.fromEntries([...tables].map(([name, table]) => [name, table.rows]));
      const none = Object.fromEntries([...tables.keys()].map((name) => [name, 0]));
      expect(rows).toEqual({ ...none, ...testCase.rows });
    });

    it("gives the rows of its golden", () => {
      const { tables, calls } = imported(format, source());
      const text = `${tablesText(tables, testCase.rowsMax ?? {})}\n${callsText(calls)}`;
      const name = `${format.id}-${basename(fixture).replace(/\.[^.]*$/, "")}.txt`;
      const path = join(TEST_FOLDER, "golden", name);
      if (process.env.PLIMSOLL_GOLDEN === "write") {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
      if (!existsSync(path))
        throw new Error(
          `no golden ${name}; run once with PLIMSOLL_GOLDEN=write and read it before you keep it`,
        );
      expect(text.split("\n")).toEqual(readFileSync(path, "utf8").split("\n"));
    });

    it("gives the same rows twice, one log after the other into the same tables too", () => {
      const whole = ({ tables, calls }: Imported) => `${tablesText(tables, {})}\n${callsText(calls)}`;
      const once = whole(imported(format, source()));
      expect(whole(imported(format, source()))).toBe(once);
      const builder = new TablesBuilder();
      importCounters(format, source(), builder);
      importCounters(format, source(), builder);
      for (const [name, table] of builder.finish())
        expect(table.rows, name).toBe(2 * (testCase.rows[name] ?? 0));
    });

    it("carries the run that the host names, in every row", () => {
      const { tables } = imported(format, source(), "named");
      let seen = 0;
      for (const table of tables.values()) {
        if (table.rows === 0 || !table.schema.columns.some(({ name }) => name === "run_id")) continue;
        expect(new Set(table.column("run_id") as readonly string[])).toEqual(new Set(["named"]));
        seen++;
      }
      expect(seen).toBeGreaterThan(0);
    });
  });
}

interface Imported {
  readonly tables: Tables;
  readonly calls: ReturnType<ReturnType<typeof collectingSink>["collected"]>["accesses"];
}

function importCounters(format: CounterFormat, source: ByteSource, into: TablesBuilder, runId = source.name) {
  importLog(new DarshanLog(format.counters(source), { codecs: nodeCodecs }), into, runId);
}

function imported(format: CounterFormat, source: ByteSource, runId?: string): Imported {
  const { sink, collected } = collectingSink();
  const builder = new TablesBuilder({ calls: () => sink });
  importCounters(format, source, builder, runId);
  return { tables: builder.finish(), calls: collected().accesses };
}

function callsText(calls: Imported["calls"]): string {
  return [`# calls: ${calls.length}`, ...calls.map((call) => JSON.stringify(call)), ""].join("\n");
}

/** Tables as text: `column = value` for what was recorded; what was not is left out. */
function tablesText(tables: Tables, rowsMax: Readonly<Record<string, number>>): string {
  const lines: string[] = [];
  for (const [name, table] of tables) {
    if (table.rows === 0) continue;
    const shown = Math.min(table.rows, rowsMax[name] ?? Number.POSITIVE_INFINITY);
    lines.push(`# ${name}: ${table.rows} rows${shown < table.rows ? `, the first ${shown}` : ""}`, "");
    for (let row = 0; row < shown; row++) lines.push(`[${name} ${row}]`, ...rowLines(table, row), "");
  }
  return lines.join("\n");
}

function rowLines(table: Table, row: number): string[] {
  return table.schema.columns.flatMap(({ name, unit }) => {
    const value = table.value(name, row);
    if (value === null) return [];
    const text = typeof value === "string" ? JSON.stringify(value) : String(value);
    return [`${name} = ${text}${unit === "" ? "" : ` ${unit}`}`];
  });
}
