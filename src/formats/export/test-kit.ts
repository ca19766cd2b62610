/** Calls for tests of exports, and readers of what other programs would read. */
import { type CallBlock, Operation } from "../../model/index.ts";
import { Random } from "../../base/prng.ts";
import type { Spill } from "../../base/spill.ts";
import { CallCollection, type CollectionOptions, type OrderedCalls } from "./collection.ts";

export interface TestCall {
  readonly process: number;
  readonly file: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly bytes: number;
  readonly offset?: number;
  readonly operation?: number;
  readonly layer?: number;
  readonly flags?: number;
}

export const HOSTILE = 'a"b\\c\n</script>,=1+1\u{1f4be}\ud800';

/** Random calls, many of which overlap; shuffled. */
export function randomCalls(count: number, seed: number): TestCall[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const startNs = random.below(1_000_000);
    return {
      process: random.below(5),
      file: random.below(7),
      startNs,
      endNs: startNs + (random.below(10) === 0 ? 0 : random.below(20_000)),
      bytes: random.below(1 << 20),
      offset: random.below(2 ** 40),
      operation: random.below(3),
      layer: random.below(3),
    };
  });
}

export class MemorySpill implements Spill {
  bytes = new Uint8Array(0);

  append(more: Uint8Array): void {
    const longer = new Uint8Array(this.bytes.length + more.length);
    longer.set(this.bytes);
    longer.set(more, this.bytes.length);
    this.bytes = longer;
  }

  read(offset: number, length: number): Uint8Array {
    return this.bytes.slice(offset, offset + length);
  }
}

export function blockOf(calls: readonly TestCall[]): CallBlock {
  const reals = (value: (call: TestCall) => number) => Float64Array.from(calls, value);
  return {
    count: calls.length,
    startNs: reals(({ startNs }) => startNs),
    endNs: reals(({ endNs }) => endNs),
    bytes: reals(({ bytes }) => bytes),
    offset: reals(({ offset }) => offset ?? Number.NaN),
    process: Uint32Array.from(calls, ({ process }) => process),
    file: Uint32Array.from(calls, ({ file }) => file),
    operation: Uint8Array.from(calls, ({ operation }) => operation ?? Operation.write),
    layer: Uint8Array.from(calls, ({ layer }) => layer ?? 0),
    flags: Uint8Array.from(calls, ({ flags }) => flags ?? 0),
  };
}

/** A collection of the calls of five ranks on seven files, the last with a hostile name. */
export function collected(calls: readonly TestCall[], options: CollectionOptions = {}): CallCollection {
  const collection = new CallCollection(options);
  const sink = collection.sink({ startsAtZero: true });
  sink.clock({ kind: "realtime", epochNs: 1_700_000_000_000_000_000n });
  for (let rank = 0; rank < 5; rank++) sink.process({ pid: rank, rank, host: `n${rank % 2}` });
  for (let file = 0; file < 7; file++) sink.file({ path: file === 6 ? HOSTILE : `/scratch/f${file}` });
  for (let from = 0; from < calls.length; from += 100) sink.block(blockOf(calls.slice(from, from + 100)));
  return collection;
}

export const ordered = (calls: readonly TestCall[], options: CollectionOptions = {}): OrderedCalls =>
  collected(calls, options).finish();

export function textOf(pieces: Iterable<Uint8Array>): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(pieces));
}

export const bytesOf = (pieces: Iterable<Uint8Array>): Uint8Array => Buffer.concat([...pieces]);
