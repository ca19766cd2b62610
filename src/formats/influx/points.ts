/**
 * Points of Telegraf's lustre2 plugin, gathered and handed out as readings: one for each target and moment, in the
 * order of time, as if its file had been read then. So the same rules make differences of them.
 */
import { CounterTable, NO_STAMP, Reading, SAMPLES, WORDS, fileSystemOf } from "../lustre/index.ts";
import { FieldMeanings } from "./fields.ts";
import { LatencyTest } from "./latency.ts";
import { fieldInteger, type InfluxPoint } from "./point.ts";

interface InfluxNotes {
  points: number;
  /** Lines that are no points: torn by tabs or quotes, cut, without a time. */
  broken: number;
  firstBrokenLine: number;
  /** Points of other measurements, and of histograms (`brw_section`), which are left out. */
  otherPoints: number;
  /** Fields that are no whole number of 64 bits. */
  otherFields: number;
  /** Ids with one quote: the plugin cut them at a blank. */
  cutIds: number;
}

/** One series at one moment. */
interface Cell {
  readonly job: string;
  readonly fields: Map<string, bigint>;
}

/** All series of one target file at one moment. */
interface Moment {
  readonly timeNs: bigint;
  readonly cells: Map<string, Cell>;
}

interface Target {
  readonly name: string;
  readonly client: string;
  readonly kind: string;
  readonly moments: Map<bigint, Moment>;
}

export class InfluxPoints {
  readonly table: CounterTable;
  readonly notes: InfluxNotes = {
    ...{ points: 0, broken: 0, firstBrokenLine: 0, otherPoints: 0, otherFields: 0, cutIds: 0 },
  };
  readonly #targets = new Map<string, Target>();
  readonly #meanings = new FieldMeanings();
  readonly #cutIds = new Set<string>();

  constructor(table = new CounterTable()) {
    this.table = table;
  }

  add(point: InfluxPoint): void {
    const { tags } = point;
    const name = tags.get("name");
    if (name === undefined || tags.has("brw_section") || !/lustre/.test(point.measurement)) {
      this.notes.otherPoints++;
      return;
    }
    this.notes.points++;
    const job = tags.get("jobid");
    if (job !== undefined) this.#checkId(job);
    const cell = this.#cell(name, tags.get("client") ?? "", job, point);
    for (const [field, text] of point.fields) {
      const value = fieldInteger(text);
      if (value === undefined || this.#meanings.of(field) === undefined) this.notes.otherFields++;
      else cell.fields.set(field, value);
    }
  }

  #checkId(job: string): void {
    const isCut = job.startsWith('"') !== (job.length > 1 && job.endsWith('"'));
    if (!isCut || this.#cutIds.has(job)) return;
    this.#cutIds.add(job);
    this.notes.cutIds = this.#cutIds.size;
  }

  #cell(name: string, client: string, job: string | undefined, { timeNs, fields }: InfluxPoint): Cell {
    const isJob = job !== undefined || [...fields.keys()].some((field) => field.startsWith("jobstats_"));
    const isMdt = /MDT[0-9a-f]{4}$/.test(name);
    const kind = isJob ? "job_stats" : client !== "" ? "export_stats" : isMdt ? "md_stats" : "ost_stats";
    const key = `${kind}\n${name}\n${client}`;
    let target = this.#targets.get(key);
    if (target === undefined) {
      target = { name, client, kind, moments: new Map() };
      this.#targets.set(key, target);
    }
    let moment = target.moments.get(timeNs);
    if (moment === undefined) {
      moment = { timeNs, cells: new Map() };
      target.moments.set(timeNs, moment);
    }
    let cell = moment.cells.get(job ?? "");
    if (cell === undefined) {
      cell = { job: job ?? "", fields: new Map() };
      moment.cells.set(job ?? "", cell);
    }
    return cell;
  }

  /** Which of the two ways have times where sizes should be. */
  latencyInPlaceOfBytes(): { readonly read: boolean; readonly write: boolean } {
    const tests = { read: new LatencyTest(), write: new LatencyTest() };
    for (const { moments } of this.#targets.values())
      for (const { cells } of moments.values())
        for (const { fields } of cells.values())
          for (const way of ["read", "write"] as const) {
            const part = (what: string) => fields.get(`jobstats_${way}_${what}`);
            tests[way].add(part("bytes") ?? 0n, part("calls") ?? 0n, part("max_size") ?? 0n);
          }
    return { read: tests.read.isLatency, write: tests.write.isLatency };
  }

  /** What a person should know about the data, in whole sentences. */
  warnings(): string[] {
    const wrong = this.latencyInPlaceOfBytes();
    const ways = (["read", "write"] as const).filter((way) => wrong[way]);
    const found: string[] = [];
    if (ways.length > 0)
      found.push(
        `the ${ways.join(" and ")} bytes are latencies in microseconds: Telegraf's lustre2 plugin confuses the two on Lustre 2.14 and later. Calls are correct; bytes are dropped`,
      );
    if (this.notes.cutIds > 0)
      found.push(`${this.notes.cutIds} job ids are truncated: the plugin cuts them at the first blank`);
    if (this.notes.broken > 0)
      found.push(
        `${this.notes.broken} lines are not data points, the first at line ${this.notes.firstBrokenLine}`,
      );
    return found;
  }

  /** Hands out readings, target by target in the order of time; each is only valid during the call. */
  eachReading(use: (reading: Reading) => void): void {
    const wrong = this.latencyInPlaceOfBytes();
    const reading = new Reading(this.table);
    const encoder = new TextEncoder();
    for (const { name, client, kind, moments } of this.#targets.values()) {
      const inOrder = [...moments.values()].sort((a, b) => (a.timeNs < b.timeNs ? -1 : 1));
      for (const { timeNs, cells } of inOrder) {
        reading.clear();
        Object.assign(reading, { kind, target: name, client, param: name, readAtNs: timeNs });
        reading.fileSystem = fileSystemOf(name);
        for (const cell of cells.values()) {
          const id = encoder.encode(cell.job);
          const row = reading.openRow(id, 0, id.length);
          reading.snapshotNs[row] = NO_STAMP;
          this.#fill(reading, row, cell.fields, wrong);
        }
        use(reading);
      }
    }
  }

  #fill(
    reading: Reading,
    row: number,
    fields: ReadonlyMap<string, bigint>,
    wrong: { readonly read: boolean; readonly write: boolean },
  ): void {
    const entries = new Map<number, number>();
    const put = (column: number, word: number, value: bigint) => {
      if (column < 0) return;
      let entry = entries.get(column);
      if (entry === undefined) {
        reading.reserveEntry();
        entry = reading.entries++;
        entries.set(column, entry);
        reading.column[entry] = column;
        reading.shape[entry] = 1;
        reading.words.fill(0n, entry * WORDS, (entry + 1) * WORDS);
      }
      reading.words[entry * WORDS + word] = BigInt.asUintN(64, value);
      if (word !== SAMPLES) reading.shape[entry] = 4;
    };
    for (const [field, value] of fields) {
      const meaning = this.#meanings.of(field);
      if (meaning === undefined) continue;
      const { name, unit, word } = meaning;
      const way = name === "read_bytes" ? "read" : name === "write_bytes" ? "write" : undefined;
      if (way === undefined || !wrong[way] || !field.startsWith("jobstats_")) {
        put(this.table.column(name, unit), word, value);
        continue;
      }
      put(this.table.column(way, "usecs"), word, value);
      // There were as many calls as times; of how many bytes is not known.
      if (word === SAMPLES) put(this.table.column(name, "calls"), word, value);
    }
    reading.entryTo[row] = reading.entries;
  }
}
