/** Flaws of single calls: size, order, alignment, and syncs between them. */
import { Random } from "../../base/prng.ts";
import {
  bulk,
  callsPerPart,
  close,
  everyRank,
  fileOf,
  type Flaw,
  gathered,
  open,
  type Setting,
} from "./activity.ts";
import { cachedWrite, rateOf } from "./machine.ts";
import type { World } from "./world.ts";

const KIB = 1024;
/** Scattered reads are drawn one by one. */
const SCATTERED_MAX = 8000;

export const CALL_FLAWS: readonly Flaw[] = [
  { cause: "small-writes", ranksMin: 1, ranksMax: 512, plan: (setting) => small(setting, "write") },
  { cause: "small-reads", ranksMin: 1, ranksMax: 512, plan: (setting) => small(setting, "read") },
  {
    cause: "fsync-per-write",
    ranksMin: 1,
    ranksMax: 256,
    plan(setting) {
      const { draw, machine, ranks } = setting;
      const rate = rateOf(machine, ranks);
      const bytes = draw.size(4 * KIB, 2048 * KIB);
      // Mostly a write ends in the page cache and the sync moves its bytes; past the cache the write does.
      const cached = draw.chance(0.7);
      const count = callsPerPart(setting, machine.fsync + bytes / rate, 32, 200_000);
      return {
        parameters: { bytes, cached, countPerRank: count * setting.parts, fsyncSeconds: machine.fsync },
        run(world, part, mended) {
          everyRank(world, (rank) => {
            const file = fileOf(setting, world, rank, false);
            const moving = bytes / world.rate(rank, rate);
            const seconds = cached ? cachedWrite(bytes) : 2e-6 + moving;
            const syncSeconds = machine.fsync + (cached ? (mended ? count : 1) * moving : 0);
            const sync = { kind: "sync", file, seconds: syncSeconds } as const;
            const offset = part * count * bytes;
            const run = { kind: "write", file, offset, bytes, stride: bytes, seconds } as const;
            open(world, rank, file, machine);
            if (mended) {
              world.make(rank, { ...run, count });
              world.make(rank, sync);
            } else world.weave(rank, count, [run, sync]);
            close(world, rank, file, machine);
          });
        },
      };
    },
  },
  {
    cause: "stdio-small",
    ranksMin: 1,
    ranksMax: 64,
    plan(setting) {
      const { draw, machine, ranks } = setting;
      const rate = rateOf(machine, ranks);
      const bytes = 4 * draw.whole(1, 50);
      const kind = draw.pick(["read", "write"] as const);
      const count = callsPerPart(setting, machine.streamCall + bytes / rate, 2000, 5e6);
      // A call into the buffer of the library costs some ten nanoseconds.
      const buffered = 4e-8;
      return {
        parameters: { bytes, kind, countPerRank: count * setting.parts, callSeconds: machine.streamCall },
        run(world, part, mended) {
          everyRank(world, (rank) => {
            const file = fileOf(setting, world, rank, false);
            const own = world.rate(rank, rate);
            const seconds = bytes / own + (mended ? buffered : machine.streamCall);
            const offset = part * count * bytes;
            world.make(rank, { layer: "STDIO", kind: "open", file, seconds: machine.open });
            world.make(rank, {
              ...{ layer: "STDIO", kind, file, offset, bytes, count, stride: bytes, seconds },
            });
            world.make(rank, { layer: "STDIO", kind: "close", file, seconds: machine.close });
          });
        },
      };
    },
  },
  {
    cause: "random-reads",
    also: ["small-reads"],
    ranksMin: 1,
    ranksMax: 256,
    plan: scattered,
  },
  {
    cause: "misaligned",
    // Of one rank, whose pieces follow one another, the page cache joins them: only the last has an edge.
    ranksMin: 2,
    ranksMax: 256,
    plan(setting) {
      const { draw, machine, ranks, place, word } = setting;
      const rate = rateOf(machine, ranks);
      const block = 4 * KIB;
      const bytes = block * draw.whole(3, 60) - 8 * draw.whole(1, 500);
      const padded = block * Math.ceil(bytes / block);
      // Edges are what costs here, not the calls.
      const call = Math.min(machine.writeCall, machine.edge / 10);
      const each = call + machine.edge + bytes / rate;
      const count = callsPerPart(setting, each, 64, 100_000);
      return {
        parameters: { bytes, padded, countPerRank: count * setting.parts, edgeSeconds: machine.edge },
        run(world, part, mended) {
          const size = mended ? padded : bytes;
          everyRank(world, (rank) => {
            const file = place.shared(world, `${word}.dat`, block);
            const edge = mended ? 0 : machine.edge;
            const seconds = call + edge + size / world.rate(rank, rate);
            const offset = (part * count * ranks + rank) * size;
            open(world, rank, file, machine);
            const run = { kind: "write", file, offset, bytes: size, count, stride: ranks * size } as const;
            world.make(rank, { ...run, seconds });
            close(world, rank, file, machine);
          });
        },
      };
    },
  },
];

function small(setting: Setting, kind: "read" | "write") {
  const { draw, machine, ranks } = setting;
  const call = kind === "read" ? machine.readCall : machine.writeCall;
  const rate = rateOf(machine, ranks);
  const bytes = draw.size(16, 32 * KIB);
  const shared = ranks > 1 && draw.chance(0.5);
  const count = callsPerPart(setting, call + bytes / rate, 256, 4e6);
  return {
    parameters: { bytes, shared, countPerRank: count * setting.parts, callSeconds: call },
    run(world: World, part: number, mended: boolean) {
      everyRank(world, (rank) => {
        const file = fileOf(setting, world, rank, shared);
        const first = shared ? rank * setting.parts : 0;
        const offset = (first + part) * count * bytes;
        open(world, rank, file, machine);
        const piece = mended ? gathered(bytes) : bytes;
        bulk(world, rank, { kind, file, offset, bytes: count * bytes, piece, call, rate });
        close(world, rank, file, machine);
      });
    },
  };
}

function scattered(setting: Setting) {
  const { draw, machine, ranks, parts } = setting;
  const rate = rateOf(machine, ranks);
  const bytes = draw.size(2 * KIB, 512 * KIB);
  const shared = ranks > 1 && draw.chance(0.5);
  const seeks = draw.chance(0.5);
  const each = machine.readCall + machine.seek + bytes / rate;
  const count = callsPerPart(setting, each, 32, SCATTERED_MAX / ranks);
  const order = draw.random.bits();
  return {
    parameters: { bytes, shared, seeks, countPerRank: count * parts, seekSeconds: machine.seek },
    run(world: World, part: number, mended: boolean) {
      everyRank(world, (rank) => {
        const file = fileOf(setting, world, rank, shared);
        const base = ((shared ? rank * parts : 0) + part) * count * bytes;
        const own = world.rate(rank, rate);
        open(world, rank, file, machine);
        if (mended) {
          const piece = gathered(bytes);
          const call = machine.readCall;
          bulk(world, rank, { kind: "read", file, offset: base, bytes: count * bytes, piece, call, rate });
        } else {
          for (const block of Random.stream(order, part, rank).shuffled(count)) {
            const read = { kind: "read", file, offset: base + block * bytes, bytes } as const;
            const seconds = machine.readCall + machine.seek + bytes / own;
            if (seeks) world.make(rank, { kind: "seek", file, seconds: 5e-7 });
            world.make(rank, { ...read, seconds });
          }
        }
        close(world, rank, file, machine);
      });
    },
  };
}
