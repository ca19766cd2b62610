/** The program of the ranks in tests of MPI: `node ranks.mjs PART [WORDS]`. Rank 0 prints one JSON line; what is wrong ends the run. */
import { assert } from "../../../src/base/assert.ts";
import { Random } from "../../../src/base/prng.ts";
import { type MpiCommunicator, connectMpi } from "../../../src/launch/mpi/index.ts";
import { files } from "./files.ts";

export type Part = (world: MpiCommunicator, words: readonly string[]) => Promise<unknown>;

/** Bytes that only this rank, place and length give. */
function bytesOf(seed: number, length: number): Uint8Array {
  const random = new Random(seed);
  return Uint8Array.from({ length }, () => random.below(256));
}

const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

const parts: Record<string, Part> = {
  async all(world) {
    await world.barrier();
    for (const [root, length] of [
      [0, 100_000],
      [world.size - 1, 3],
      [1 % world.size, 0],
    ] as const) {
      const bytes = bytesOf(root, length);
      const got = await world.broadcast(world.rank === root ? bytes : undefined, root);
      assert(same(got, bytes), "a broadcast is what the root had");
    }
    for (let root = 0; root < world.size; root++) {
      const got = await world.gather(bytesOf(world.rank, 1000 * world.rank), root);
      assert((got === undefined) === (root !== world.rank), "only the root of a gather gets something");
      for (const [rank, one] of (got ?? []).entries())
        assert(same(one, bytesOf(rank, 1000 * rank)), "gathered by rank");
    }
    const random = new Random(7);
    for (let round = 0; round < 200; round++) {
      // All ranks draw the same numbers, so everybody knows what everybody sends.
      const sizes = Array.from({ length: world.size ** 2 }, () =>
        random.below(3) === 0 ? 0 : random.below(round % 50 === 0 ? 200_000 : 64),
      );
      const at = (from: number, to: number) =>
        bytesOf(from * world.size + to, sizes[from * world.size + to] as number);
      const got = await world.exchange(Array.from({ length: world.size }, (_, to) => at(world.rank, to)));
      for (const [from, one] of got.entries()) assert(same(one, at(from, world.rank)), `exchange ${round}`);
    }
    // Started at once, they still go in the same order everywhere.
    await Promise.all([
      world.barrier(),
      world.exchange(Array.from({ length: world.size }, () => new Uint8Array(9))),
      world.barrier(),
    ]);
    const { rank, size, localSize, name } = world;
    const ranks = await world.gather(Uint8Array.of(rank), 0);
    return { size, localSize, name, ranks: ranks?.map((one) => one[0]) };
  },

  /** Everybody sends to everybody, small and large mixed; order from each sender is kept while timers go on. */
  async storm(world, [count = "2000"]) {
    let ticks = 0;
    let lateMs = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      ticks++;
      lateMs = Math.max(lateMs, performance.now() - last - 5);
      last = performance.now();
    }, 5);
    const each = Number(count);
    const lengthOf = (n: number) => (n % 97 === 0 ? 150_000 : (n * 7) % 300);
    const sending = (async () => {
      for (let n = 0; n < each; n++)
        for (let to = 0; to < world.size; to++) {
          const bytes = new Uint8Array(8 + lengthOf(n)).fill(n % 251);
          new DataView(bytes.buffer).setFloat64(0, n);
          await world.send(to, bytes);
        }
    })();
    const next = Array.from({ length: world.size }, () => 0);
    for (let heard = 0; heard < each * world.size; heard++) {
      const { from, bytes } = await world.receive();
      const n = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0);
      assert(n === next[from], `message ${n} of rank ${from} comes after ${next[from]}`);
      assert(
        bytes.length === 8 + lengthOf(n) && bytes.subarray(8).every((one) => one === n % 251),
        "its bytes are whole",
      );
      (next[from] as number)++;
    }
    await sending;
    clearInterval(timer);
    return { ticks, lateMs };
  },

  /** What waiting costs: rank 0 waits for a message that comes late. */
  async idle(world) {
    const before = process.cpuUsage();
    const began = performance.now();
    if (world.rank === 0) await world.receive();
    else if (world.rank === 1) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await world.send(0, new Uint8Array(1));
    }
    const { user, system } = process.cpuUsage(before);
    return { cpuShare: (user + system) / 1000 / (performance.now() - began) };
  },

  async latency(world, [count = "300"]) {
    const times: number[] = [];
    for (let i = 0; i < Number(count); i++) {
      const began = performance.now();
      if (i % 3 === 0) await world.barrier();
      else if (i % 3 === 1) await world.exchange(Array.from({ length: world.size }, () => new Uint8Array(8)));
      else if (world.rank === 0) {
        await world.send(1, new Uint8Array(8));
        await world.receive();
      } else if (world.rank === 1) {
        await world.receive();
        await world.send(0, new Uint8Array(8));
      }
      times.push(performance.now() - began);
    }
    const median = (kind: number) =>
      times.filter((_, i) => i % 3 === kind).sort((a, b) => a - b)[(times.length / 6) | 0];
    return { barrierMs: median(0), exchangeMs: median(1), pingPongMs: median(2) };
  },

  files: files,

  async throw(world) {
    if (world.rank === 2)
      setTimeout(() => {
        throw new Error("the third rank\nhas had enough");
      }, 50);
    await world.receive();
  },
  async reject(world) {
    if (world.rank === 1) throw new Error("rejected here");
    await world.barrier();
  },
  async exit(world) {
    if (world.rank === 1) process.exit(7);
    await world.barrier();
  },
  async wait(world) {
    if (world.rank === 0) console.log("waiting");
    await world.receive();
  },
};

const [, , part = "all", ...words] = process.argv;
const chunkBytes = process.env.CHUNK_BYTES;
const world = await connectMpi(chunkBytes === undefined ? {} : { chunkBytes: Number(chunkBytes) });
const result = await (parts[part] as Part)(world, words);
await world.close();
if (world.rank === 0) console.log(JSON.stringify(result));
