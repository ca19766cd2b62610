/**
 * Two phase: a few ranks, the aggregators, do the I/O, each for its own share of the file, window by window. One phase
 * exchanges data between ranks and aggregators, the other moves it between aggregators and storage in large requests.
 * Collective. Ranks must not write the same bytes; holes are detected by the sum of lengths.
 */
import { UsageError } from "../../base/errors.ts";
import { dataBelow, endOf, isOrdered, lowOf, pack, unpack } from "../pattern/index.ts";
import { gatherPieces, type PieceMessage, readMessage, scatterPieces, writeMessage } from "./message.ts";
import { type Direct, directMove, directPieces } from "./direct-window.ts";
import { INSIDE, type MethodOptions } from "./method.ts";
import { allocate, type Outcome, type Task } from "./task.ts";

export async function twoPhase(given: Task): Promise<Outcome> {
  const task = { ...given, options: { ...given.options, collectiveBytes: windowBytes(given.options) } };
  const shares = await agreeOnShares(task);
  const round = new Round(task, shares);
  for (let i = 0; i < shares.rounds; i++) await round.run(i);
  const { oneSync } = task.options;
  return {
    fallback: round.fallback,
    syncs: oneSync ? shares.mine === 0 : shares.mine >= 0,
    syncsForAll: oneSync,
    together: true,
  };
}

/** With direct requests, the data of a window fits into one request. */
const windowBytes = ({ inside, collectiveBytes, requestBytes }: MethodOptions): number =>
  inside === "sieving" ? collectiveBytes : Math.min(collectiveBytes, requestBytes);

interface Shares {
  /** Share a is from `bounds[a]` to `bounds[a + 1]`. */
  readonly bounds: Float64Array;
  /** The rank of each aggregator. */
  readonly ranks: readonly number[];
  /** The share of this rank, or -1. */
  readonly mine: number;
  /** Windows of the largest share. */
  readonly rounds: number;
}

/** Collective: each rank announces its range of the file, and all compute the same shares from it. */
async function agreeOnShares({ access, bytes, communicator, options, direction }: Task): Promise<Shares> {
  const { file, fileStart } = access;
  const { aggregators, collectiveBytes, alignBytes, sync, oneSync, inside } = options;
  const mine = Float64Array.of(
    bytes === 0 ? Number.POSITIVE_INFINITY : fileStart + lowOf(file),
    bytes === 0 ? 0 : fileStart + endOf(file),
    isOrdered(file) ? 1 : 0,
    aggregators,
    collectiveBytes,
    alignBytes,
    (sync ? 1 : 0) + (oneSync ? 2 : 0) + 4 * INSIDE.indexOf(inside),
    direction === "write" ? 1 : 0,
  );
  const message = new Uint8Array(mine.buffer);
  const all = await communicator.exchange(Array.from({ length: communicator.size }, () => message));
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  for (const [rank, said] of all.entries()) {
    const other = new Float64Array(said.slice().buffer);
    for (let i = 3; i < mine.length; i++)
      if (other[i] !== mine[i])
        throw new UsageError(`ranks ${communicator.rank} and ${rank} disagree on the options of two phase`);
    if (other[2] !== 1)
      throw new UsageError(`two phase needs ascending file offsets; those of rank ${rank} are not`);
    low = Math.min(low, other[0] as number);
    high = Math.max(high, other[1] as number);
  }
  return shareOut(Math.min(low, high), high, options, communicator.rank, communicator.size);
}

function shareOut(low: number, high: number, options: MethodOptions, rank: number, size: number): Shares {
  const count = Math.min(options.aggregators, size);
  const each = divideUp(high - low, count);
  const bounds = new Float64Array(count + 1);
  bounds[0] = low;
  for (let a = 1; a < count; a++)
    bounds[a] = Math.min(high, divideUp(low + a * each, options.alignBytes) * options.alignBytes);
  bounds[count] = high;
  const ranks = Array.from({ length: count }, (_, a) => Math.floor((a * size) / count));
  let rounds = 0;
  for (let a = 0; a < count; a++)
    rounds = Math.max(
      rounds,
      divideUp((bounds[a + 1] as number) - (bounds[a] as number), options.collectiveBytes),
    );
  return { bounds, ranks, mine: ranks.indexOf(rank), rounds };
}

function divideUp(value: number, by: number): number {
  const rest = value % by;
  return (value - rest) / by + (rest > 0 ? 1 : 0);
}

const NOTHING: Uint8Array = new Uint8Array(0);

class Round {
  readonly #task: Task;
  readonly #shares: Shares;
  #buffer = NOTHING;
  /** Set when requests that skip holes were replaced by others. */
  fallback: Outcome["fallback"];

  constructor(task: Task, shares: Shares) {
    this.#task = task;
    this.#shares = shares;
  }

  async run(index: number): Promise<void> {
    const { communicator, direction, access, buffer } = this.#task;
    const { mine } = this.#shares;
    const wanted = this.#wanted(index);
    const out = new Array<Uint8Array>(communicator.size).fill(NOTHING);
    for (const { rank, place, from, to } of wanted) out[rank] = this.#ask(place, from, to);
    const messages = await communicator.exchange(out);
    const place = mine < 0 ? 0 : this.#window(mine, index)[0];
    if (direction === "write") return mine < 0 ? undefined : this.#write(place, messages.map(readMessage));
    const answers = mine < 0 ? out.fill(NOTHING) : await this.#read(place, messages.map(readMessage));
    const data = await communicator.exchange(answers);
    for (const { rank, from, to } of wanted)
      unpack(access.memory, buffer, data[rank] as Uint8Array, { from, to });
  }

  #window(aggregator: number, index: number): [from: number, to: number] {
    const { bounds } = this.#shares;
    const size = this.#task.options.collectiveBytes;
    const end = bounds[aggregator + 1] as number;
    const from = Math.min(end, (bounds[aggregator] as number) + index * size);
    return [from, Math.min(end, from + size)];
  }

  /** Bytes `from` to `to` of this rank's data in the windows of this round. */
  #wanted(index: number): { rank: number; place: number; from: number; to: number }[] {
    const { access, bytes } = this.#task;
    if (bytes === 0) return [];
    return this.#shares.ranks.flatMap((rank, aggregator) => {
      const [place, end] = this.#window(aggregator, index);
      const from = dataBelow(access.file, place - access.fileStart);
      const to = dataBelow(access.file, end - access.fileStart);
      return to > from ? [{ rank, place, from, to }] : [];
    });
  }

  #ask(place: number, from: number, to: number): Uint8Array {
    const { access, direction, buffer } = this.#task;
    const { message, data } = writeMessage(access, place, from, to, direction === "write");
    if (direction === "write") pack(access.memory, buffer, data, { from, to });
    return message;
  }

  async #write(place: number, messages: readonly PieceMessage[]): Promise<void> {
    const { requests } = this.#task;
    const { low, high, bytes } = spanOf(messages);
    if (bytes === 0) return;
    const window = this.#space(high - low);
    const holes = bytes < high - low;
    const { inside } = this.#task.options;
    if (holes && inside !== "sieving") {
      for (const message of messages) scatterPieces(message, window, low);
      return this.#direct("write", place + low, window, directPieces(messages, low), inside);
    }
    if (holes) {
      const done = requests.contiguous("read", place + low, window, 0);
      if (done !== undefined) await done;
    }
    for (const message of messages) scatterPieces(message, window, low);
    const done = requests.contiguous("write", place + low, window, bytes);
    if (done !== undefined) await done;
  }

  /** The answer to each message. */
  async #read(place: number, messages: readonly PieceMessage[]): Promise<Uint8Array[]> {
    const { requests } = this.#task;
    const { low, high, bytes } = spanOf(messages);
    const window = this.#space(high - low);
    const { inside } = this.#task.options;
    if (bytes > 0 && bytes < high - low && inside !== "sieving")
      await this.#direct("read", place + low, window, directPieces(messages, low), inside);
    else if (bytes > 0) {
      const done = requests.contiguous("read", place + low, window, bytes);
      if (done !== undefined) await done;
    }
    return messages.map((message) => gatherPieces(message, window, low));
  }

  async #direct(
    direction: "write" | "read",
    place: number,
    window: Uint8Array,
    pieces: Direct,
    inside: "list" | "datatype",
  ): Promise<void> {
    const fallback = await directMove(this.#task, direction, place, window, pieces, inside);
    this.fallback ??= fallback;
  }

  #space(bytes: number): Uint8Array {
    if (this.#buffer.length < bytes) this.#buffer = allocate(bytes);
    return this.#buffer.subarray(0, bytes);
  }
}

/** First and last requested byte of a window over all ranks, and the number of requested bytes. */
function spanOf(messages: readonly PieceMessage[]): { low: number; high: number; bytes: number } {
  let [low, high, bytes] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const message of messages) {
    if (message.count === 0) continue;
    const last = message.count - 1;
    low = Math.min(low, message.places[0] as number);
    high = Math.max(high, (message.places[last] as number) + (message.lengths[last] as number));
    bytes += message.bytes;
  }
  return { low: Math.min(low, high), high, bytes };
}
