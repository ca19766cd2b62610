/** Files of a job, each with its records in all layers. */
import type { JobFile } from "./job.ts";
import { isBelowDfs, knownSum, type LayerRecord, sumOf } from "./records.ts";

/** Layers that an application calls, the upper ones first. */
const CALLED_LAYERS = ["MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"] as const;
/** Layers that reach the file system themselves. */
export const MOVING_LAYERS: readonly string[] = ["POSIX", "STDIO", "DFS", "DAOS"];

interface JobFiles {
  readonly files: readonly JobFile[];
  file(fileId: string): JobFile | undefined;
}

export function jobFiles(records: readonly LayerRecord[]): JobFiles {
  // Datasets and variables lie in files that have records of their own.
  const ofFiles = records.filter(({ layer }) => layer !== "H5D" && layer !== "PNETCDF_VAR");
  const files = isOneLayer(ofFiles) ? ofFiles.map((record) => new OneLayerFile(record)) : grouped(ofFiles);
  let byId: Map<string, JobFile> | undefined;
  return {
    files,
    file(fileId) {
      byId ??= new Map(files.map((file) => [file.fileId, file]));
      return byId.get(fileId);
    },
  };
}

/** A layer has one record of each file. */
function isOneLayer(records: readonly LayerRecord[]): boolean {
  const first = records[0]?.layer;
  return records.every(({ layer }) => layer === first);
}

function grouped(records: readonly LayerRecord[]): JobFile[] {
  const groups = new Map<string, LayerRecord | LayerRecord[]>();
  for (const record of records) {
    const { fileId } = record;
    const known = groups.get(fileId);
    if (known === undefined) groups.set(fileId, record);
    else if (Array.isArray(known)) known.push(record);
    else groups.set(fileId, [known, record]);
  }
  return Array.from(groups.values(), (group) =>
    Array.isArray(group) ? fileOf(group) : new OneLayerFile(group),
  );
}

function fileOf(group: readonly LayerRecord[]): JobFile {
  const first = group[0] as LayerRecord;
  const layers = new Map(group.map((record) => [record.layer, record]));
  const candidates = CALLED_LAYERS.flatMap((name) => layers.get(name) ?? []);
  const called = calledOf(candidates) ?? first;
  const moving = group.filter(({ layer }) => MOVING_LAYERS.includes(layer) && !isBelowDfs(layer, layers));
  const movers = moving.length > 0 ? moving : [called];
  // A file may be used through POSIX and STDIO; the time in both counts.
  const timed = called.layer === "MPI-IO" ? [called] : movers;
  const striped = group.find(({ stripeCount }) => stripeCount > 0);
  return {
    fileId: first.fileId,
    path: first.path,
    mount: first.mount,
    fsType: first.fsType,
    layers,
    called,
    bytesRead: sumOf(movers, ({ bytesRead }) => bytesRead),
    bytesWritten: sumOf(movers, ({ bytesWritten }) => bytesWritten),
    seconds: sumOf(timed, secondsOf),
    slowestSeconds: sumOf(timed, ({ slowestSeconds }) => slowestSeconds),
    stripeCount: striped?.stripeCount ?? Number.NaN,
    stripeBytes: striped?.stripeBytes ?? Number.NaN,
    osts: group.find(({ osts }) => osts.length > 0)?.osts ?? [],
  };
}

/** Nearly all files of a log with very many are used through one layer: such a file is its record, seen as a file. */
class OneLayerFile implements JobFile {
  readonly called: LayerRecord;

  constructor(record: LayerRecord) {
    this.called = record;
  }

  get fileId(): string {
    return this.called.fileId;
  }

  get path(): string {
    return this.called.path;
  }

  get mount(): string | null {
    return this.called.mount;
  }

  get fsType(): string | null {
    return this.called.fsType;
  }

  get layers(): ReadonlyMap<string, LayerRecord> {
    return new OneLayer(this.called);
  }

  get bytesRead(): number {
    return this.called.bytesRead;
  }

  get bytesWritten(): number {
    return this.called.bytesWritten;
  }

  get seconds(): number {
    return secondsOf(this.called);
  }

  get slowestSeconds(): number {
    return this.called.slowestSeconds;
  }

  get stripeCount(): number {
    const { stripeCount } = this.called;
    return stripeCount > 0 ? stripeCount : Number.NaN;
  }

  get stripeBytes(): number {
    return this.called.stripeCount > 0 ? this.called.stripeBytes : Number.NaN;
  }

  get osts(): readonly number[] {
    return this.called.osts;
  }
}

/** A map with one entry, made when it is asked for: a million real maps would be most of the memory of a report. */
class OneLayer implements ReadonlyMap<string, LayerRecord> {
  readonly #record: LayerRecord;
  readonly size = 1;

  constructor(record: LayerRecord) {
    this.#record = record;
  }

  get(layer: string): LayerRecord | undefined {
    return this.#record.layer === layer ? this.#record : undefined;
  }

  has(layer: string): boolean {
    return this.#record.layer === layer;
  }

  forEach(use: (record: LayerRecord, layer: string, map: ReadonlyMap<string, LayerRecord>) => void): void {
    use(this.#record, this.#record.layer, this);
  }

  *keys(): MapIterator<string> {
    yield this.#record.layer;
  }

  *values(): MapIterator<LayerRecord> {
    yield this.#record;
  }

  *entries(): MapIterator<[string, LayerRecord]> {
    yield [this.#record.layer, this.#record];
  }

  [Symbol.iterator](): MapIterator<[string, LayerRecord]> {
    return this.entries();
  }
}

/**
 * The layer that the program moves its data in. A stream can have a POSIX record that is empty, as standard output has, or
 * knows of a stat only.
 */
function calledOf(candidates: readonly LayerRecord[]): LayerRecord | undefined {
  const used = candidates.filter(isUsed);
  const bytesOf = ({ bytesRead, bytesWritten }: LayerRecord) => (bytesRead || 0) + (bytesWritten || 0);
  const stream = used.find(({ layer }) => layer === "STDIO");
  const [top] = used;
  const isStream = stream !== undefined && top?.layer === "POSIX" && bytesOf(stream) > bytesOf(top);
  return isStream ? stream : (top ?? candidates[0]);
}

const isUsed = ({ opens, reads, writes, stats }: LayerRecord) =>
  opens > 0 || reads > 0 || writes > 0 || stats > 0;

/** Time in a record, summed over its ranks, as far as it is known; NaN when the layer keeps no times. */
const secondsOf = ({ readSeconds, writeSeconds, metaSeconds }: LayerRecord): number =>
  knownSum(readSeconds, writeSeconds, metaSeconds);
