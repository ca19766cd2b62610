/**
 * Number of requests of a method for equal regions at equal distances, computed from the numbers of the pattern alone: no
 * datatype, no list, no code of the methods. The count of a run must be the same.
 */
import type { NcioMethod } from "../../model/index.ts";
import type { HpioSpec, NcioSpec } from "../pattern/index.ts";
import { type Comb, combServers, periodicSum, rangeMessages } from "./expected-servers.ts";
import type { MethodOptions } from "./method.ts";

/** Capabilities of the storage. */
export interface StorageShape {
  readonly listMax?: number | undefined;
  readonly hasTypes: boolean;
  readonly requestBytesMax?: number | undefined;
  /** Servers with round-robin strips. */
  readonly servers?: number;
  readonly stripBytes?: number;
  /** Max data of one message; a larger contiguous request takes several rounds. */
  readonly messageBytesMax?: number;
}

/** Counts over all ranks, in one operation. */
interface ExpectedCounts {
  readonly requests: number;
  readonly movedBytes: number;
  /** One per server of a request, more if it is too large for one; 0 without servers. Syncs are not counted. */
  readonly messages: number;
}

interface Setting {
  readonly spec: NcioSpec | HpioSpec;
  readonly options: MethodOptions;
  readonly direction: "write" | "read";
  readonly storage: StorageShape;
  /** Bytes of one rank. */
  readonly bytes: number;
  readonly memoryHoles: boolean;
  /** Of a region in memory. */
  readonly memorySize: number;
  readonly fileHoles: boolean;
  /** Between regions of one rank in the file. */
  readonly stride: number;
  readonly pairs: number;
  readonly requestBytes: number;
}

export function expectedCounts(
  spec: NcioSpec | HpioSpec,
  method: NcioMethod,
  direction: "write" | "read",
  options: MethodOptions,
  storage: StorageShape,
): ExpectedCounts {
  const setting = settingOf(spec, direction, options, storage);
  const sum = new Sum(storage);
  if (method === "two-phase") twoPhase(setting, sum);
  else for (let rank = 0; rank < spec.ranks; rank++) individual(method, setting, rank, sum);
  return { requests: sum.requests, movedBytes: sum.movedBytes, messages: sum.messages };
}

function settingOf(
  spec: NcioSpec | HpioSpec,
  direction: "write" | "read",
  options: MethodOptions,
  storage: StorageShape,
): Setting {
  const { count, size, spacing, ranks } = spec;
  const { memorySpacing = spacing, memorySize = size }: Partial<HpioSpec> =
    spec.pattern === "hpio" ? spec : {};
  const [memory, file] = spec.case.split("-");
  return {
    spec,
    options,
    direction,
    storage,
    bytes: count * size,
    // Adjacent regions are one.
    memoryHoles: memory === "nc" && count * size > memorySize && memorySpacing > memorySize,
    memorySize,
    fileHoles: file === "nc" && count > 1 && ranks * spacing > size,
    stride: ranks * spacing,
    pairs: Math.min(options.listPairs, storage.listMax ?? options.listPairs),
    requestBytes: Math.min(options.requestBytes, storage.requestBytesMax ?? options.requestBytes),
  };
}

function individual(method: NcioMethod, setting: Setting, rank: number, sum: Sum): void {
  const { spec, bytes, memoryHoles, fileHoles, storage, options, requestBytes, memorySize } = setting;
  const start = rank * (spec.case.endsWith("-nc") ? spec.spacing : bytes);
  const flow = memoryHoles && !fileHoles ? options.flowPairs : undefined;
  if (method === "datatype" && flow !== undefined) flows(setting, start, flow * memorySize, sum);
  else if (method === "datatype" && (storage.hasTypes || !fileHoles))
    shared(setting, start, requestBytes, sum);
  else if (method === "list" || method === "datatype") lists(setting, start, sum);
  else if (method === "sieving" && fileHoles) sieved(setting, start, sum);
  else if (method === "sieving") shared(setting, start, memoryHoles ? options.sieveBytes : bytes, sum);
  else if (memoryHoles && fileHoles && memorySize !== spec.size) cutRegions(setting, start, sum);
  else if (fileHoles) sum.comb({ start, stride: setting.stride, size: spec.size, count: spec.count });
  else if (memoryHoles) cut(start, bytes, memorySize, sum);
  else sum.range(start, bytes);
}

/** A range in parts of this size; the last may be shorter. */
function cut(start: number, bytes: number, part: number, sum: Sum): void {
  const whole = Math.floor(bytes / part);
  sum.comb({ start, stride: part, size: part, count: whole });
  if (bytes > whole * part) sum.range(start + whole * part, bytes - whole * part);
}

/** Memory and file are cut at different places: a request ends with a region of either. */
function cutRegions({ spec, bytes, memorySize, stride }: Setting, start: number, sum: Sum): void {
  const { size } = spec;
  for (let from = 0; from < bytes; ) {
    const region = Math.floor(from / size);
    const to = Math.min((region + 1) * size, (Math.floor(from / memorySize) + 1) * memorySize);
    sum.range(start + region * stride + (from - region * size), to - from);
    from = to;
  }
}

/** Requests of this size, each split further by the request limit. */
function flows(setting: Setting, start: number, flowBytes: number, sum: Sum): void {
  for (let from = 0; from < setting.bytes; from += flowBytes)
    shared(
      { ...setting, bytes: Math.min(flowBytes, setting.bytes - from) },
      start + from,
      setting.requestBytes,
      sum,
    );
}

/** The data in requests of this size. */
function shared(setting: Setting, start: number, most: number, sum: Sum): void {
  for (let from = 0; from < setting.bytes; from += most) {
    const length = Math.min(most, setting.bytes - from);
    if (setting.fileHoles) sum.request(length, () => partServers(setting, start, from, length));
    else sum.range(start + from, length);
  }
}

function lists(setting: Setting, start: number, sum: Sum): void {
  const { spec, memoryHoles, fileHoles, pairs, requestBytes, storage, stride, memorySize } = setting;
  const { size, count } = spec;
  const contiguous = fileHoles && storage.listMax === undefined;
  if (memoryHoles && memorySize !== size) cutLists(setting, start, contiguous, sum);
  else if (!memoryHoles && !fileHoles) shared(setting, start, requestBytes, sum);
  else if (contiguous && size * pairs <= requestBytes) sum.comb({ start, stride, size, count });
  else if (size * pairs <= requestBytes) evenLists(setting, start, sum);
  else cutLists(setting, start, contiguous, sum);
}

/** Lists limited by pairs are all equal, except for the last. */
function evenLists(setting: Setting, start: number, sum: Sum): void {
  const { spec, bytes, fileHoles, pairs, stride } = setting;
  const full = pairs * spec.size;
  const apart = pairs * (fileHoles ? stride : spec.size);
  const servers = (place: number, data: number): number =>
    fileHoles ? partServers(setting, place, 0, data) : rangeMessages(place, data, setting.storage);
  const count = Math.floor(spec.count / pairs);
  sum.alike(count, full, start, apart, (place) => servers(place, full));
  const rest = bytes - count * full;
  if (rest > 0) sum.request(rest, () => servers(start + count * apart, rest));
}

/** A list is limited by pairs or by bytes, and may end in the middle of a region. */
function cutLists(setting: Setting, start: number, contiguous: boolean, sum: Sum): void {
  const { spec, bytes, fileHoles, memoryHoles, memorySize, pairs, requestBytes, stride } = setting;
  const { size } = spec;
  const ends = (region: number, from: number): number => (Math.floor(from / region) + pairs) * region;
  for (let from = 0; from < bytes; ) {
    const inMemory = memoryHoles ? ends(memorySize, from) : bytes;
    const to = Math.min(bytes, from + requestBytes, inMemory, fileHoles ? ends(size, from) : bytes);
    if (!fileHoles) sum.range(start + from, to - from);
    else if (!contiguous) sum.request(to - from, () => partServers(setting, start, from, to - from));
    else
      for (let at = from; at < to; ) {
        const end = Math.min(to, (Math.floor(at / size) + 1) * size);
        sum.range(start + Math.floor(at / size) * stride + (at % size), end - at);
        at = end;
      }
    from = to;
  }
}

/** Servers of a range of the data if the file regions have holes. */
function partServers(
  { spec, stride, storage }: Setting,
  start: number,
  from: number,
  length: number,
): number {
  const first = Math.floor(from / spec.size);
  const last = Math.floor((from + length - 1) / spec.size);
  const head = from % spec.size;
  const tail = ((from + length - 1) % spec.size) + 1;
  return combServers(
    { start: start + first * stride, stride, size: spec.size, count: last - first + 1 },
    head,
    tail,
    storage,
  );
}

/** Windows start at the next requested byte, possibly inside a region where the previous one ended. */
function sieved({ spec, stride, options, direction }: Setting, start: number, sum: Sum): void {
  const { size, count } = spec;
  for (let region = 0, phase = 0; region < count; ) {
    const reach = phase + options.sieveBytes;
    // Counted from the start of this region: the last one that the window reaches, and how far into it.
    const last = Math.min(count - 1 - region, Math.ceil(reach / stride) - 1);
    const end = Math.min(reach, last * stride + size);
    const wanted = last === 0 ? end - phase : size - phase + (last - 1) * size + (end - last * stride);
    const holes = end - phase > wanted;
    const at = start + region * stride + phase;
    for (let i = direction === "write" && holes ? 2 : 1; i > 0; i--) sum.range(at, end - phase);
    const whole = end === last * stride + size;
    phase = whole ? 0 : end - last * stride;
    region += whole ? last + 1 : last;
  }
}

/** All ranks together are one comb of regions, or one range. */
function twoPhase(setting: Setting, sum: Sum): void {
  const { spec, bytes, options, direction } = setting;
  const most =
    options.inside === "sieving"
      ? options.collectiveBytes
      : Math.min(options.collectiveBytes, setting.requestBytes);
  const holes = spec.case.endsWith("-nc");
  const [spacing, size] = holes ? [spec.spacing, spec.size] : [1, 1];
  const regions = holes ? spec.ranks * spec.count : spec.ranks * bytes;
  const total = (regions - 1) * spacing + size;
  const aggregators = Math.min(options.aggregators, spec.ranks);
  const each = Math.ceil(total / aggregators);
  const bound = (a: number): number =>
    a === 0
      ? 0
      : a === aggregators
        ? total
        : Math.min(total, Math.ceil((a * each) / options.alignBytes) * options.alignBytes);
  for (let a = 0; a < aggregators; a++)
    for (let from = bound(a); from < bound(a + 1); from += most) {
      const to = Math.min(bound(a + 1), from + most);
      const below = (place: number): number =>
        Math.floor(place / spacing) * size + Math.min(size, place % spacing);
      const wanted = Math.min(below(to), regions * size) - below(from);
      if (wanted === 0) continue;
      const low = from % spacing < size ? from : (Math.floor(from / spacing) + 1) * spacing;
      const last = Math.floor((to - 1) / spacing) * spacing;
      const high = Math.min(to, last + size);
      if (wanted < high - low && options.inside !== "sieving") direct(setting, low, high, sum);
      else
        for (let i = direction === "write" && wanted < high - low ? 2 : 1; i > 0; i--)
          sum.range(low, high - low);
    }
}

/** Requests of an aggregator between two offsets without the holes: regions of all ranks. */
function direct({ spec, options, storage, pairs }: Setting, low: number, high: number, sum: Sum): void {
  const { size, spacing } = spec;
  const first = Math.floor(low / spacing);
  const last = Math.floor((high - 1) / spacing);
  const typed = options.inside === "datatype" && storage.hasTypes;
  const each = typed ? last - first + 1 : pairs;
  const cutAt = (region: number, place: number): number =>
    Math.min(size, Math.max(0, place - region * spacing));
  for (let region = first; region <= last; region += each) {
    const end = Math.min(last, region + each - 1);
    const head = cutAt(region, low);
    const tail = cutAt(end, high);
    const comb = { start: region * spacing, stride: spacing, size, count: end - region + 1 };
    const bytes = (end - region) * size - head + tail;
    if (typed || storage.listMax !== undefined)
      sum.request(bytes, () => combServers(comb, head, tail, storage));
    else
      for (let one = region; one <= end; one++) {
        const from = one * spacing + cutAt(one, low);
        sum.range(from, one * spacing + cutAt(one, high) - from);
      }
  }
}

class Sum {
  requests = 0;
  movedBytes = 0;
  messages = 0;
  readonly #storage: StorageShape;

  constructor(storage: StorageShape) {
    this.#storage = storage;
  }

  request(bytes: number, servers: () => number): void {
    this.requests++;
    this.movedBytes += bytes;
    if (this.#storage.servers !== undefined) this.messages += servers();
  }

  range(at: number, bytes: number): void {
    this.request(bytes, () => rangeMessages(at, bytes, this.#storage));
  }

  /** Equal requests at equal distances: their number of servers is periodic. */
  alike(
    count: number,
    bytes: number,
    start: number,
    apart: number,
    servers: (place: number) => number,
  ): void {
    this.requests += count;
    this.movedBytes += count * bytes;
    if (this.#storage.servers !== undefined)
      this.messages += periodicSum(count, start, apart, this.#storage, servers);
  }

  /** A request for each of many regions. */
  comb({ start, stride, size, count }: Comb): void {
    this.alike(count, size, start, stride, (place) => rangeMessages(place, size, this.#storage));
  }
}
