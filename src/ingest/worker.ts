/** A thread of an ingest: reads inputs, writes batches of its own. */
import { existsSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { FormatError } from "../base/errors.ts";
import { identityOf, jobIdTemplate } from "../formats/lustre/index.ts";
import { type Batch, Store } from "../store/index.ts";
import { KnownHashes } from "./known.ts";
import type { Alone, Done, FromWorker, Placed, ToWorker, WorkerStart } from "./messages.ts";
import { newNotes } from "./notes.ts";
import { InputReader, type Outcome, reasonOf } from "./reader.ts";
import { Coverage, type CoverageEntry } from "./system/coverage.ts";
import { Series } from "./system/series.ts";
import { SystemRows } from "./system/system-rows.ts";
import type { Found } from "./walk.ts";

const start = workerData as WorkerStart;
const say = (message: FromWorker) => parentPort?.postMessage(message);
/** Files of a series between two reports. */
const REPORT_FILES = 64;

const notes = newNotes();
const coverage = new Coverage();
const { nowUnixSeconds, cluster, zone } = start;
const templates = start.jobIds.map(jobIdTemplate);
const system = new SystemRows(notes, coverage, (id) => identityOf(id, templates, cluster));
const reader = new InputReader(new KnownHashes(start.stored), new KnownHashes(start.damaged), {
  ...{ nowUnixSeconds, notes, coverage, system, cluster, zone },
});
const store = await Store.open(start.store, { threads: 1, memoryBytes: start.memoryBytes });
let batch: Batch | undefined;
let inBatch = 0;
let rowsInBatch = 0;
/** Set once the ingest is alone. */
let lockFile: string | undefined;
let answered: (granted: Alone | undefined) => void = () => {};

/** Waits until no other ingest stores counters or jobs, and learns what the store has by then. */
async function alone(): Promise<void> {
  if (reader.alone) return;
  const granted = await new Promise<Alone | undefined>((resolve) => {
    answered = resolve;
    say({ kind: "alone" });
  });
  if (granted === undefined) throw new Error("the ingest ends before it is alone");
  for (const entry of granted.coverage) coverage.add(...entry);
  lockFile = granted.lockFile;
  reader.alone = true;
}

async function flush(): Promise<void> {
  const { rows } = reader;
  if (rows === 0) return;
  rowsInBatch += rows;
  batch ??= store.beginBatch({ writer: "ingest" });
  await reader.flush(batch);
}

async function commit(): Promise<void> {
  await flush();
  // Which times the rows are of goes in with them, or not at all.
  if (system.readings.rows > 0) {
    batch ??= store.beginBatch({ writer: "ingest" });
    await system.readings.flush(batch);
  }
  if (batch !== undefined && lockFile !== undefined && !existsSync(lockFile)) throw lostLock(lockFile);
  await batch?.commit();
  batch = undefined;
  inBatch = rowsInBatch = 0;
}

/** Another machine did not hear of us for minutes; what it stores meanwhile may be the same. */
const lostLock = (file: string) =>
  new FormatError(
    start.store,
    {},
    `another ingest took over, since ${file} was not touched for minutes; what was not committed is not stored, run the same command again`,
  );

/** What came of an input, when it was read. */
type Settled = Exclude<Outcome, { status: "alone" }>;

/** What happened since the last report. */
class Report {
  readonly #done = { read: 0, stored: 0, known: 0, foreign: 0, bytes: 0 };
  #skipped: { path: string; reason: string }[] = [];
  #series: Placed[] = [];

  get inputs(): number {
    return this.#done.read;
  }

  add(input: Found, outcome: Settled): void {
    const done = this.#done;
    done.bytes += outcome.bytes;
    // A text of a series counts when it is read.
    if (outcome.status === "series") {
      this.#series.push({ ...input, place: outcome.place });
      return;
    }
    done.read++;
    if (outcome.status === "skipped") this.#skipped.push({ path: input.path, reason: outcome.reason });
    else done[outcome.status]++;
  }

  send(more: boolean): void {
    const news = system.readings.news();
    const covered = more ? [] : joined(news);
    say({
      kind: "done",
      more,
      ...this.#done,
      skipped: this.#skipped,
      series: this.#series,
      covered,
      notes,
    } satisfies Done);
    Object.assign(this.#done, { read: 0, stored: 0, known: 0, foreign: 0, bytes: 0 });
    this.#skipped = [];
    this.#series = [];
    Object.assign(notes, newNotes());
  }
}

function joined(entries: readonly CoverageEntry[]): CoverageEntry[] {
  const all = new Coverage();
  for (const entry of entries) all.add(...entry);
  return [...all.entries()];
}

async function read(inputs: readonly Found[]): Promise<void> {
  const report = new Report();
  for (const input of inputs) {
    report.add(input, await settled(input));
    inBatch++;
    if (reader.rows >= start.rowsMax) await flush();
  }
  if (inBatch >= start.batchInputs || rowsInBatch >= start.batchRows) await commit();
  report.send(false);
}

async function settled(input: Found): Promise<Settled> {
  for (;;) {
    const outcome = reader.read(input);
    if (outcome.status !== "alone") return outcome;
    await alone();
  }
}

async function readSeries(inputs: readonly Found[], covered: readonly CoverageEntry[]): Promise<void> {
  await alone();
  for (const entry of covered) coverage.add(...entry);
  const report = new Report();
  const series = new Series(system, notes, coverage);
  const breathe = async () => {
    if (reader.rows >= start.rowsMax) await flush();
    if (rowsInBatch >= start.batchRows) await commit();
  };
  for (const [index, input] of inputs.entries()) {
    const isLast = index === inputs.length - 1;
    report.add(input, await readText(series, input, isLast, breathe));
    if (++inBatch >= start.batchInputs) await commit();
    if (report.inputs >= REPORT_FILES) report.send(true);
  }
  series.finish();
  report.send(false);
}

async function readText(
  series: Series,
  { path, named }: Found,
  isLast: boolean,
  breathe: () => Promise<void>,
): Promise<Settled> {
  try {
    const { stored, known, damage, bytes } = await series.read(path, isLast, breathe);
    if (damage !== undefined) return { status: "skipped", bytes, reason: partly(damage, stored) };
    if (stored + known > 0) return { status: stored > 0 ? "stored" : "known", bytes };
    if (!named) return { status: "foreign", bytes };
    return { status: "skipped", bytes, reason: NOT_OWN };
  } catch (error) {
    const reason = reasonOf(error, path);
    if (reason === undefined) throw error;
    return { status: "skipped", bytes: 0, reason };
  }
}

const NOT_OWN =
  "it has no counters of an OST or MDT as a whole; those of clients, locks and services are not stored";

const partly = (damage: string, stored: number) =>
  stored === 0 ? damage : `${damage}; what is whole was stored`;

/** Messages one after the other; a batch is not to be used twice at once. */
let queue: Promise<void> = Promise.resolve();
parentPort?.on("message", (message: ToWorker) => {
  // The work that is under way waits for it.
  if (message.kind === "alone") {
    answered(message.granted);
    return;
  }
  queue = queue.then(async () => {
    try {
      if (message.kind === "read") await read(message.inputs);
      else if (message.kind === "series") await readSeries(message.inputs, message.covered);
      else {
        await commit();
        await store.close();
        say({ kind: "ended", notes });
        parentPort?.close();
      }
    } catch (error) {
      const { message: text, name, code, errno, syscall, path, stack } = error as NodeJS.ErrnoException;
      const { source, detail } = error as Partial<FormatError>;
      await batch?.abort().catch(() => {});
      await store.close().catch(() => {});
      const facts: Record<string, string | number> = {};
      for (const [key, value] of Object.entries({ name, code, errno, syscall, path, stack, source, detail }))
        if (value !== undefined) facts[key] = value;
      say({ kind: "failed", message: text, facts });
      parentPort?.close();
    }
  });
});
say({ kind: "ready" });
