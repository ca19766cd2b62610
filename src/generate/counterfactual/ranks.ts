/** Flaws of ranks: one rank for all, uneven shares, a slow or a late rank. */
import { MIB } from "../log-builder.ts";
import { bulk, bulkSize, close, everyRank, fileOf, type Flaw, open, type Setting } from "./activity.ts";
import { LARGE, rateOf } from "./machine.ts";
import { closeTogether, collective, openTogether } from "./mpi.ts";
import type { World } from "./world.ts";

export const RANK_FLAWS: readonly Flaw[] = [
  {
    cause: "one-rank-io",
    also: ["byte-imbalance"],
    ranksMin: 4,
    ranksMax: 512,
    plan(setting) {
      const { draw, machine, ranks, parts } = setting;
      const alone = rateOf(machine, 1);
      const together = rateOf(machine, ranks);
      const kind = draw.pick(["write", "write", "read"] as const);
      const call = kind === "read" ? machine.readCall : machine.writeCall;
      const piece = draw.pick([1, 4, 16]) * MIB;
      const share = piece * Math.max(1, Math.round((setting.seconds * alone) / parts / ranks / piece));
      return {
        parameters: { kind, bytes: share * ranks * parts, piece },
        run(world, part, mended) {
          const file = fileOf(setting, world, 0, true);
          const base = part * share * ranks;
          if (!mended) {
            // The others send to it what it writes, or get from it what it reads.
            world.pass(0, (share * (ranks - 1)) / machine.networkRate);
            open(world, 0, file, machine);
            bulk(world, 0, { kind, file, offset: base, bytes: share * ranks, piece, call, rate: alone });
            close(world, 0, file, machine);
            return;
          }
          everyRank(world, (rank) => {
            open(world, rank, file, machine);
            const offset = base + rank * share;
            bulk(world, rank, { kind, file, offset, bytes: share, piece, call, rate: together });
            close(world, rank, file, machine);
          });
        },
      };
    },
  },
  {
    cause: "byte-imbalance",
    also: ["straggler"],
    ranksMin: 4,
    ranksMax: 512,
    plan(setting) {
      const { draw, machine, ranks, parts } = setting;
      const rate = rateOf(machine, ranks);
      const factor = draw.log(5, 50);
      const heavy = ranks >= 16 && draw.chance(0.3) ? Math.floor(ranks / 16) : 1;
      const first = draw.random.below(ranks - heavy + 1);
      const shared = draw.chance(0.4);
      const most = bulkSize(draw, (setting.seconds * rate) / parts, LARGE);
      const least = bulkSize(draw, most / factor);
      const even = bulkSize(draw, (most * heavy + least * (ranks - heavy)) / ranks);
      return {
        parameters: { factor, heavyRanks: heavy, firstHeavy: first, shared, bytesMost: most * parts },
        run(world, part, mended) {
          everyRank(world, (rank) => {
            const isHeavy = rank >= first && rank < first + heavy;
            const bytes = mended ? even : isHeavy ? most : least;
            const file = fileOf(setting, world, rank, shared);
            const offset = shared ? (part * ranks + rank) * most : part * bytes;
            open(world, rank, file, machine);
            bulk(world, rank, {
              ...{ kind: "write", file, offset, bytes, piece: LARGE, call: machine.writeCall, rate },
            });
            close(world, rank, file, machine);
          });
        },
      };
    },
  },
  {
    cause: "straggler",
    ranksMin: 4,
    ranksMax: 512,
    plan: (setting) => (setting.draw.chance(0.3) ? late(setting) : weak(setting)),
  },
];

/** A rank on a node with a slow link: all its transfers take longer. */
function weak(setting: Setting) {
  const { draw, machine, ranks, parts } = setting;
  const rate = rateOf(machine, ranks);
  const factor = draw.log(4, 30);
  const slow = draw.random.below(ranks);
  const shared = draw.chance(0.5);
  const bytes = bulkSize(draw, (setting.seconds * rate) / factor / parts, LARGE);
  return {
    parameters: { flavour: "weak", factor, slowRank: slow, shared, bytesPerRank: bytes * parts },
    prepare(world: World, mended: boolean) {
      if (!mended) world.weak = { rank: slow, factor };
    },
    run(world: World, part: number) {
      everyRank(world, (rank) => {
        const file = fileOf(setting, world, rank, shared);
        const offset = ((shared ? rank * parts : 0) + part) * bytes;
        open(world, rank, file, machine);
        bulk(world, rank, {
          ...{ kind: "write", file, offset, bytes, piece: LARGE, call: machine.writeCall, rate },
        });
        close(world, rank, file, machine);
      });
    },
  };
}

/** A rank comes late to a collective write; the others wait for it in the call. */
function late(setting: Setting) {
  const { draw, machine, ranks, parts, place, word } = setting;
  const slow = draw.random.below(ranks);
  const delay = (setting.seconds * draw.between(0.6, 0.9)) / parts;
  const aggregators = Math.min(ranks, draw.pick([2, 4, 8]));
  const total = (setting.seconds / parts - delay) * aggregators * rateOf(machine, aggregators);
  const bytes = bulkSize(draw, total / ranks, 65536);
  return {
    parameters: { flavour: "late", lateRank: slow, delaySeconds: delay * parts, bytesPerRank: bytes * parts },
    run(world: World, part: number, mended: boolean) {
      const file = place.shared(world, `${word}.dat`);
      openTogether(world, file, machine, true);
      if (!mended) world.pass(slow, delay);
      collective(world, machine, {
        ...{ kind: "write", file, bytesPerRank: bytes, offset: part * bytes * ranks, aggregators },
      });
      closeTogether(world, file, machine);
    },
  };
}
