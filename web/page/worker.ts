/** The worker of the page: reads, judges and draws, so that the page stays at hand. */
import { FormatError, LimitError, UsageError } from "../../src/base/errors.ts";
import type { Listener } from "../../src/base/listener.ts";
import { exampleLog } from "../../src/generate/samples.ts";
import { HEAD_BYTES as FORMAT_HEAD_BYTES } from "../../src/base/source.ts";
import { formatCount } from "../../src/base/units.ts";
import { findFormat } from "../../src/formats/catalogue.ts";
import { type JobOptions, openInput } from "../../src/inputs/job/index.ts";
import { placeOf } from "./damage.ts";
import { DroppedFiles, fingerprint } from "./files.ts";
import type { DroppedFile, Failure, Place, ReadSettings, Reply, Request, Step } from "./messages.ts";
import { nameless, newKey, previewRows, traceRenaming } from "./nameless.ts";
import { findJobs, type Jobs, openJobs, type Result } from "./opening.ts";
import { pageHtml, SAVERS } from "./savers.ts";
import { encoders } from "./zlib.ts";

const PROGRESS_MS = 80;
const EXAMPLE_SEED = 1;
/** What the record of a file takes until its report is drawn, measured with a million files. */
const RECORD_BYTES = 1000;

/** What is open: savers come back to it. */
let opened: { readonly result: Result; readonly jobs: Jobs; readonly options: JobOptions } | undefined;
/** Files that were given last, to look at what is wrong with them. */
let tried: DroppedFiles | undefined;
/** One for a visit, so that what is saved twice has the same names. */
const key = newKey();

export function startWorker(): void {
  addEventListener("message", ({ data }: MessageEvent<Request>) => {
    void handle(data);
  });
}

const say = (reply: Reply) => postMessage(reply);

async function handle(request: Request): Promise<void> {
  try {
    if (request.kind === "open") await open(request.files, request.before, request.settings);
    else if (request.kind === "example") await openExample();
    else if (request.kind === "preview" && opened)
      say({ kind: "preview", rows: previewRows(opened.jobs, key) });
    else if (request.kind === "save") await save(request.id, request.withoutNames);
  } catch (error) {
    say({ kind: "failed", failure: failureOf(error) });
  }
}

/** A job with something to say, made here rather than carried along. */
async function openExample(): Promise<void> {
  const file = new File([exampleLog(EXAMPLE_SEED, encoders).slice()], "slow-checkpoint.darshan");
  await open([{ path: file.name, file }], undefined, { keepGoing: false, memoryBytes: 2 ** 30 });
}

async function open(
  files: readonly DroppedFile[],
  before: readonly DroppedFile[] | undefined,
  { keepGoing, memoryBytes }: ReadSettings,
): Promise<void> {
  const all = before === undefined ? files : apart(before, files);
  const watch = new Watch();
  const host = new DroppedFiles(all, { memoryBytes, onRead: (bytes) => watch.read(bytes) });
  tried = host;
  const skipped: string[] = [];
  const listener: Listener = {
    skip: (path, reason) => void skipped.push(`${path}: ${reason}`),
    progress: () => {
      watch.step("read", host.byteLength);
      return { update() {}, add() {}, end: () => watch.step("judge") };
    },
  };
  const options: JobOptions = {
    otherwise: "of two to compare",
    keepGoing,
    limits: { nameTableBytesMax: memoryBytes, heldRecordsMax: memoryBytes / RECORD_BYTES },
  };
  watch.step("look", host.byteLength);
  watch.fact = factOf(host, all);
  const paths =
    before === undefined ? await findJobs(host, host.roots, options, listener) : pairOf(host.roots, before);
  const jobs = { host, paths };
  const result = await openJobs(jobs, options, listener);
  watch.step("draw");
  opened = { result, jobs, options };
  say({
    kind: "opened",
    html: pageHtml(result.document),
    title: result.document.title,
    savers: SAVERS.filter(({ has }) => has?.(result) ?? true).map(({ id, label, about }) => ({
      id,
      label,
      about,
    })),
    fingerprint: fingerprint(all),
    skipped: [...new Set(skipped)],
    files: all,
    isComparison: result.isComparison,
  });
}

/** What the first file that is known is, and how many there are. */
function factOf(host: DroppedFiles, files: readonly DroppedFile[]): string {
  const many = files.length > 1 ? `${formatCount(files.length)} files` : "";
  for (const { path } of files.slice(0, 3)) {
    const source = openInput(path, host, { partly: true });
    const format = findFormat(source.read(0, FORMAT_HEAD_BYTES), path, "counters", "calls");
    source.close();
    if (format !== undefined)
      return [shortLabel(format.label), many].filter((text) => text !== "").join(", ");
  }
  return many;
}

/** Without what stands in brackets. */
const shortLabel = (label: string) => label.replace(/ \(.*$/, "");

/** Two drops may have files of the same name. */
function apart(before: readonly DroppedFile[], after: readonly DroppedFile[]): DroppedFile[] {
  const names = new Set(before.map(({ path }) => rootOf(path)));
  const clash = after.some(({ path }) => names.has(rootOf(path)));
  return clash ? [...before.map(below("before")), ...after.map(below("after"))] : [...before, ...after];
}

const below = (folder: string) => (one: DroppedFile) => ({ ...one, path: `${folder}/${one.path}` });
const rootOf = (path: string) => path.replace(/\/.*$/s, "");

function pairOf(roots: readonly string[], before: readonly DroppedFile[]): string[][] {
  const first = new Set(before.map(({ path }) => rootOf(path)));
  const isFirst = (root: string) => root === "before" || first.has(root);
  return [roots.filter(isFirst), roots.filter((root) => !isFirst(root))];
}

async function save(id: string, withoutNames: boolean): Promise<void> {
  const saver = SAVERS.find((one) => one.id === id);
  if (saver === undefined || opened === undefined) return;
  const result = withoutNames ? await namelessResult(opened.jobs, opened.options) : opened.result;
  say({ kind: "saved", name: saver.name(result), type: saver.type, bytes: await saver.make(result) });
}

const namelessResult = async (jobs: Jobs, options: JobOptions): Promise<Result> =>
  openJobs(await nameless(jobs, key, options), { ...options, rename: traceRenaming(key) }, {});

/** Progress by bytes read, now and then. */
class Watch {
  #done = 0;
  #total = 0;
  #step: Step = "look";
  #saidAt = 0;
  fact = "";

  step(step: Step, total = this.#total): void {
    if (step !== this.#step) this.#done = 0;
    this.#step = step;
    this.#total = total;
    this.#say();
  }

  read(bytes: number): void {
    this.#done += bytes;
    if (performance.now() - this.#saidAt > PROGRESS_MS) this.#say();
  }

  #say(): void {
    this.#saidAt = performance.now();
    const done = Math.min(this.#done, this.#total);
    say({ kind: "progress", done, total: this.#total, step: this.#step, fact: this.fact });
  }
}

function failureOf(error: unknown): Failure {
  const isKnown = error instanceof FormatError || error instanceof UsageError;
  const message = error instanceof Error ? error.message : String(error);
  const line = isKnown ? message : `this is a bug in the page: ${message}`;
  const byte = error instanceof FormatError ? error.offset : undefined;
  const place = error instanceof FormatError ? placeIn(error) : undefined;
  return {
    line,
    ...(error instanceof FormatError ? { damage: damageOf(error) } : {}),
    details: detailsOf(error),
    ...(place === undefined ? {} : { place }),
    canKeepGoing:
      error instanceof FormatError && byte !== undefined && byte > 0 && !(error instanceof LimitError),
    isLimit: error instanceof LimitError,
  };
}

const damageOf = ({ source: name, offset, detail }: FormatError) => ({
  ...{ name, detail },
  ...(offset === undefined ? {} : { byte: offset }),
});

/** In what was read: of a packed file, in what is in it. */
function placeIn(error: FormatError): Place | undefined {
  if (tried?.isFile(error.source) !== true || error instanceof LimitError) return undefined;
  try {
    const source = tried.open(error.source, { allowCut: true });
    const place = placeOf(error, source);
    source.close();
    return place;
  } catch {
    return undefined;
  }
}

/** Without names, so that it can go into a bug report. */
function detailsOf(error: unknown): string {
  if (error instanceof FormatError) {
    const place = error.offset === undefined ? "" : `byte ${error.offset}: `;
    return `${error.name}: ${place}${error.detail}`;
  }
  if (error instanceof UsageError) return "";
  return error instanceof Error
    ? (error.stack ?? "").replace(/(blob|file):[^\s)]*?(?=:\d+:\d+)/g, "page")
    : "";
}
