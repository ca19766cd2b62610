/** A thread of an ingest: reads inputs, writes batches of its own. */
import { existsSync, statSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { FormatError } from "../base/errors.ts";
import { identityOf, jobIdTemplate } from "../formats/lustre/index.ts";
import { fsPath } from "../node/raw-path.ts";
import { askPool, serveTasks, tellPool } from "../node/thread-tasks.ts";
import { type Batch, Store } from "../store/index.ts";
import { CHANGED, Journal, type ReadInput, type ReadSeries } from "./journal.ts";
import { KnownHashes } from "./known.ts";
import type { Alone, Done, IngestTask, Placed, WorkerStart } from "./messages.ts";
import { NotesLedger } from "./notes.ts";
import { InputOrigin } from "./origin.ts";
import { InputReader, unreadableReason, type Settled } from "./reader.ts";
import { Coverage, type CoverageEntry } from "./system/coverage.ts";
import { Series } from "./system/series.ts";
import { SystemRows } from "./system/system-rows.ts";
import type { Found } from "../node/walk.ts";

const start = workerData as WorkerStart;
/** Files of a series between two reports. */
const REPORT_FILES = 64;

const ledger = new NotesLedger();
const { notes } = ledger;
const coverage = new Coverage();
const { nowUnixSeconds, cluster, zone } = start;
const templates = start.jobIds.map(jobIdTemplate);
const origin = new InputOrigin();
const system = new SystemRows({ notes, coverage, origin }, (id) => identityOf(id, templates, cluster));
const reader = new InputReader(new KnownHashes(start.stored), new KnownHashes(start.damaged), {
  ...{ nowUnixSeconds, notes, coverage, origin, system, cluster, zone },
});
const store = await Store.open(start.store, { threads: 1, memoryBytes: start.memoryBytes });
let batch: Batch | undefined;
let inBatch = 0;
let rowsInBatch = 0;
/** Where the rows of the batch come from. */
const journal = new Journal();
/** Set once the ingest is alone. */
let lockFile: string | undefined;

/** Waits until no other ingest stores counters or jobs, and learns what the store has by then. */
async function alone(): Promise<void> {
  if (reader.alone) return;
  const granted = (await askPool("alone")) as Alone;
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
  await flushAll();
  // Once more for each input that changed; in the end nothing changes, or nothing is left.
  while (batch !== undefined && journal.leaveOutChanged()) await fillAgain();
  if (batch !== undefined && lockFile !== undefined && !existsSync(lockFile)) throw lostLock(lockFile);
  await batch?.commit();
  batch = undefined;
  inBatch = rowsInBatch = 0;
  journal.settle();
  for (const one of [reader, coverage, ledger]) one.settle();
}

async function flushAll(): Promise<void> {
  await flush();
  // Which times the rows are of goes in with them, or not at all.
  if (system.readings.rows === 0) return;
  batch ??= store.beginBatch({ writer: "ingest" });
  await system.readings.flush(batch);
}

/** The rows of the batch once more, without the inputs that are left out. */
async function fillAgain(): Promise<void> {
  await batch?.abort();
  batch = undefined;
  rowsInBatch = 0;
  system.readings.news();
  for (const one of [reader, coverage, ledger]) one.takeBack();
  const report = new Report();
  for (const item of journal.items) {
    if (item.kind === "series") {
      await readSeriesAgain(item.series, report);
      continue;
    }
    const { read } = item;
    const outcome = read.isLeftOut ? leftOut(read) : await settled(read.input);
    report.correct(read, outcome.status === "series" ? leftOut(read) : outcome);
    if (reader.rows >= start.rowsMax) await flush();
  }
  tellPool(report.take([]));
  await flushAll();
}

const leftOut = ({ outcome: { bytes } }: ReadInput): Settled => ({
  ...{ status: "skipped", bytes, reason: CHANGED },
});

/** Another machine did not hear of us for minutes; what it stores meanwhile may be the same. */
const lostLock = (file: string) =>
  new FormatError(
    start.store,
    {},
    `another ingest took over, since ${file} was not touched for minutes; uncommitted inputs are not stored; run the same command again`,
  );

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

  /** Something else came of an input than was told. */
  correct(read: ReadInput, outcome: Settled): void {
    const { input, outcome: before } = read;
    read.outcome = outcome;
    // What was skipped stays so, whatever the reason is now.
    if (before.status === "series" || before.status === "skipped" || outcome.status === "series") return;
    this.#done.bytes += outcome.bytes - before.bytes;
    this.#done[before.status]--;
    if (outcome.status === "skipped") this.#skipped.push({ path: input.path, reason: outcome.reason });
    else this.#done[outcome.status]++;
  }

  /** What is told in the middle of a task; the times that it covers come at its end. */
  tell(): void {
    system.readings.news();
    tellPool(this.take([]));
  }

  end(): Done {
    return this.take(joined(system.readings.news()));
  }

  take(covered: readonly CoverageEntry[]): Done {
    const done: Done = {
      ...this.#done,
      ...{ skipped: this.#skipped, series: this.#series, covered, notes: ledger.take() },
    };
    Object.assign(this.#done, { read: 0, stored: 0, known: 0, foreign: 0, bytes: 0 });
    this.#skipped = [];
    this.#series = [];
    return done;
  }
}

function joined(entries: readonly CoverageEntry[]): CoverageEntry[] {
  const all = new Coverage();
  for (const entry of entries) all.add(...entry);
  return [...all.entries()];
}

async function read(inputs: readonly Found[]): Promise<Done> {
  const report = new Report();
  for (const input of inputs) {
    // A pipe cannot be read again: it is in a batch of its own, and no lock is asked for in the middle of it.
    const pipe = isPipe(input);
    if (pipe) {
      await commit();
      await alone();
    }
    const outcome = await settled(input);
    report.add(input, outcome);
    if (outcome.status !== "series" && outcome.status !== "foreign") journal.add({ input, outcome });
    inBatch++;
    if (pipe) await commit();
    else if (reader.rows >= start.rowsMax) await flush();
  }
  if (inBatch >= start.batchInputs || rowsInBatch >= start.batchRows) await commit();
  return report.end();
}

async function settled(input: Found): Promise<Settled> {
  for (;;) {
    const outcome = reader.read(input);
    if (outcome.status !== "alone") return outcome;
    await alone();
  }
}

/** A walk finds nothing but files. */
function isPipe({ path, named }: Found): boolean {
  return named && statSync(fsPath(path), { throwIfNoEntry: false })?.isFile() === false;
}

/** The series that is being read. */
let series = new Series(system, notes, coverage);

/** Within a text rows only leave memory: a text is in one batch, so that it can be left out as a whole. */
async function yieldToEvents(): Promise<void> {
  if (reader.rows >= start.rowsMax) await flush();
}

async function readSeries(inputs: readonly Placed[], covered: readonly CoverageEntry[]): Promise<Done> {
  await alone();
  for (const entry of covered) coverage.add(...entry);
  const report = new Report();
  const read = journal.beginSeries();
  series = new Series(system, notes, coverage);
  for (const [index, input] of inputs.entries()) {
    const isLast = index === inputs.length - 1;
    const outcome = await readText(input, isLast);
    report.add(input, outcome);
    read.texts.push({ input, outcome, isLast });
    if (++inBatch >= start.batchInputs || rowsInBatch >= start.batchRows) await commit();
    if (report.inputs >= REPORT_FILES) report.tell();
  }
  series.finish();
  journal.endSeries();
  return report.end();
}

/** From its beginning: a difference needs the reading before it, which may be in a batch that is committed. */
async function readSeriesAgain(read: ReadSeries, report: Report): Promise<void> {
  series = new Series(system, notes, coverage);
  for (const [index, text] of read.texts.entries()) {
    const again = () => readText(text.input, text.isLast);
    if (text.isLeftOut) report.correct(text, leftOut(text));
    else if (index < read.committed) await ledger.without(again);
    else report.correct(text, await again());
  }
  if (read.isDone) series.finish();
}

async function readText(input: Placed, isLast: boolean): Promise<Settled> {
  const { path, named } = input;
  origin.begin(path);
  try {
    const { stored, known, damage, bytes, ...file } = await series.read(input, isLast, yieldToEvents);
    if (damage !== undefined) return { ...file, status: "skipped", bytes, reason: partly(damage, stored) };
    if (stored + known > 0) return { ...file, status: stored > 0 ? "stored" : "known", bytes };
    if (!named) return { status: "foreign", bytes };
    return { status: "skipped", bytes, reason: NOT_OWN };
  } catch (error) {
    const reason = unreadableReason(error, path);
    if (reason === undefined) throw error;
    return { status: "skipped", bytes: 0, reason };
  }
}

const NOT_OWN = "no OST or MDT counters; client, lock and service counters are not stored";

const partly = (damage: string, stored: number) =>
  stored === 0 ? damage : `${damage}; the intact part was stored`;

async function perform(task: IngestTask): Promise<Done> {
  if (task.kind === "read") return read(task.inputs);
  if (task.kind === "series") return readSeries(task.inputs, task.covered);
  await commit();
  await store.close();
  return new Report().take([]);
}

async function leaveStore(): Promise<void> {
  await batch?.abort().catch(() => {});
  await store.close().catch(() => {});
}

serveTasks(perform, { afterFailure: leaveStore });
