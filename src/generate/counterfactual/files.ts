/** Flaws of files: number, opens, repeated reads, placement. */
import { MIB } from "../log-builder.ts";
import {
  bulk,
  bulkSize,
  callsPerPart,
  close,
  everyRank,
  fileOf,
  type Flaw,
  gathered,
  open,
  type Setting,
} from "./activity.ts";
import { LARGE, rateOf } from "./machine.ts";
import type { World } from "./world.ts";

/** Files of a job for which each has records of its own. */
const FILES_MAX = 2500;

export const FILE_FLAWS: readonly Flaw[] = [
  { cause: "re-reads", ranksMin: 1, ranksMax: 256, plan: reread },
  {
    cause: "read-after-write",
    ranksMin: 1,
    ranksMax: 256,
    plan(setting) {
      const { draw, machine, ranks, parts } = setting;
      const rate = rateOf(machine, ranks);
      // What was just written may come back faster or slower than it went.
      const readRate = rate * draw.between(0.6, 1.5);
      const bytes = bulkSize(draw, setting.seconds / parts / (1 / rate + 1 / readRate), LARGE);
      const piece = draw.pick([1, 2, 4]) * MIB;
      return {
        parameters: { bytesPerRank: bytes * parts, piece, readRate },
        run(world, part, mended) {
          everyRank(world, (rank) => {
            const file = fileOf(setting, world, rank, false);
            const transfer = { file, offset: part * bytes, bytes, piece };
            open(world, rank, file, machine);
            bulk(world, rank, { kind: "write", ...transfer, call: machine.writeCall, rate });
            if (!mended) {
              world.make(rank, { kind: "seek", file, seconds: 5e-7 });
              bulk(world, rank, { kind: "read", ...transfer, call: machine.readCall, rate: readRate });
            }
            close(world, rank, file, machine);
          });
        },
      };
    },
  },
  { cause: "metadata-storm", also: ["open-churn", "many-files"], ranksMin: 1, ranksMax: 128, plan: storm },
  {
    cause: "many-files",
    also: ["metadata-storm"],
    ranksMin: 1,
    ranksMax: 256,
    plan(setting) {
      const { draw, machine, ranks, parts, place, word } = setting;
      const rate = rateOf(machine, ranks);
      const bytes = draw.size(512, 256 * 1024);
      const each = machine.open + machine.writeCall + bytes / rate + machine.close;
      const count = callsPerPart(setting, each, 64, FILES_MAX / ranks);
      return {
        parameters: { bytes, filesPerRank: count * parts },
        run(world, part, mended) {
          everyRank(world, (rank) => {
            if (mended) {
              const file = fileOf(setting, world, rank, false);
              open(world, rank, file, machine);
              bulk(world, rank, {
                ...{ kind: "write", file, offset: part * count * bytes, bytes: count * bytes },
                ...{ piece: gathered(bytes), call: machine.writeCall, rate },
              });
              close(world, rank, file, machine);
              return;
            }
            for (let i = 0; i < count; i++) {
              const file = place.file(world, `${word}/${rank}.${part * count + i}`, rank + i);
              open(world, rank, file, machine);
              const seconds = machine.writeCall + bytes / world.rate(rank, rate);
              world.make(rank, { kind: "write", file, bytes, seconds });
              close(world, rank, file, machine);
            }
          });
        },
      };
    },
  },
  {
    cause: "open-churn",
    also: ["metadata-storm"],
    ranksMin: 1,
    ranksMax: 256,
    plan(setting) {
      const { draw, machine, ranks, parts } = setting;
      const rate = rateOf(machine, ranks);
      const bytes = draw.size(64, 64 * 1024);
      // A recorder does not see where an append goes: the offset is that of the open.
      const appends = draw.chance(0.5);
      const shared = ranks > 1 && draw.chance(0.3);
      // Opening is what costs here, not the records.
      const call = Math.min(machine.writeCall, machine.open / 20);
      const each = machine.open + call + bytes / rate + machine.close;
      const count = callsPerPart(setting, each, 64, 1e6);
      return {
        parameters: { bytes, appends, shared, opensPerRank: count * parts },
        run(world, part, mended) {
          everyRank(world, (rank) => {
            const file = fileOf(setting, world, rank, shared);
            const seconds = call + bytes / world.rate(rank, rate);
            const offset = ((shared ? rank * parts : 0) + part) * count * bytes;
            const opening = { kind: "open", file, seconds: machine.open } as const;
            const closing = { kind: "close", file, seconds: machine.close } as const;
            const place = appends && !mended ? { offset: 0, stride: 0 } : { offset, stride: bytes };
            const write = { kind: "write", file, bytes, seconds, ...place } as const;
            if (mended) {
              world.make(rank, opening);
              world.make(rank, { ...write, count });
              world.make(rank, closing);
            } else world.weave(rank, count, [opening, write, closing]);
          });
        },
      };
    },
  },
  {
    cause: "slow-target",
    also: ["straggler"],
    ranksMin: 4,
    ranksMax: 512,
    // Without layouts the OST of a file is unknown; on other file systems the mount shows it.
    isSeen: ({ type, layouts }) => type !== "lustre" || layouts,
    plan(setting) {
      const { draw, machine, ranks, parts, place, word } = setting;
      const { targets } = machine;
      const slow = draw.random.below(Math.min(targets, ranks));
      const factor = draw.log(4, 50);
      // Each rank has its file on one target, which it shares with few others.
      const rate = rateOf(machine, Math.ceil(ranks / targets), 1);
      const bytes = bulkSize(draw, (setting.seconds * rate) / factor / parts, LARGE);
      const kind = draw.pick(["write", "write", "read"] as const);
      const call = kind === "read" ? machine.readCall : machine.writeCall;
      return {
        parameters: { slowTarget: slow, factor, targets, bytesPerRank: bytes * parts, kind },
        run(world, part, mended) {
          everyRank(world, (rank) => {
            const target = rank % targets;
            const file = place.fileOn(world, `${word}.${String(rank).padStart(4, "0")}`, target);
            const own = target === slow && !mended ? rate / factor : rate;
            open(world, rank, file, machine);
            bulk(world, rank, { kind, file, offset: part * bytes, bytes, piece: LARGE, call, rate: own });
            close(world, rank, file, machine);
          });
        },
      };
    },
  },
];

/** A rank reads its input again and again, or all ranks read all of it. */
function reread(setting: Setting) {
  const { draw, machine, ranks, parts } = setting;
  const everybody = ranks >= 4 && draw.chance(0.4);
  const piece = draw.pick([1, 2, 4]) * MIB;
  const rate = rateOf(machine, ranks);
  const passes = everybody ? 1 : draw.whole(3, 20);
  const whole = Math.max(piece, Math.round((setting.seconds * rate) / parts / passes / piece) * piece);
  return {
    parameters: { everybody, passes, bytes: whole, piece },
    run(world: World, part: number, mended: boolean) {
      const read = {
        kind: "read",
        offset: part * whole,
        bytes: whole,
        piece,
        call: machine.readCall,
      } as const;
      everyRank(world, (rank) => {
        const file = fileOf(setting, world, rank, everybody);
        if (mended && everybody && rank > 0) return;
        open(world, rank, file, machine);
        const turns = mended ? 1 : passes;
        const reached = mended && everybody ? rateOf(machine, 1) : rate;
        for (let turn = 0; turn < turns; turn++) {
          if (turn > 0) world.make(rank, { kind: "seek", file, seconds: 5e-7 });
          bulk(world, rank, { ...read, file, rate: reached });
        }
        close(world, rank, file, machine);
      });
      if (!mended || !everybody) return;
      // Rank 0 has read it and sends it to the others, along a tree.
      world.barrier();
      const sent = (whole / machine.networkRate) * Math.ceil(Math.log2(ranks));
      everyRank(world, (rank) => world.pass(rank, sent));
    },
  };
}

/** Short-lived files: asked for, made, written a little, closed and removed, round after round. */
function storm(setting: Setting) {
  const { draw, machine, ranks, parts, place, word } = setting;
  const rate = rateOf(machine, ranks);
  const bytes = draw.size(32, 1024);
  const files = draw.whole(8, Math.max(9, FILES_MAX / ranks / parts));
  // Newer C libraries ask for a name by a call that the recorder does not know; it never knows of removals.
  const asks = draw.chance(0.5);
  // Names are what costs here, not the few bytes.
  const call = Math.min(machine.writeCall, machine.open / 20);
  const write = call + bytes / rate;
  const removal = machine.unlink;
  const each = (asks ? machine.stat : 0) + machine.open + write + machine.close + removal;
  const rounds = callsPerPart(setting, each * files, 1, 100_000);
  return {
    parameters: { files, rounds: rounds * parts, bytes, statsSeen: asks, removalSeconds: removal },
    run(world: World, part: number, mended: boolean) {
      everyRank(world, (rank) => {
        const seconds = call + bytes / world.rate(rank, rate);
        if (mended) {
          const file = fileOf(setting, world, rank, false);
          const offset = part * rounds * files * bytes;
          open(world, rank, file, machine);
          world.make(rank, {
            ...{ kind: "write", file, offset, bytes, stride: bytes, count: rounds * files, seconds },
          });
          close(world, rank, file, machine);
          return;
        }
        const steps = [
          ...(asks ? [{ kind: "stat", seconds: machine.stat } as const] : []),
          { kind: "open", seconds: machine.open } as const,
          { kind: "write", seconds, bytes } as const,
          { kind: "close", seconds: machine.close } as const,
        ];
        const begin = world.clock(rank);
        const cycle = steps.reduce((sum, step) => sum + step.seconds, removal);
        for (let i = 0; i < files; i++) {
          const file = place.file(world, `${word}/${rank}.${i}`, rank + i);
          let at = begin + i * cycle;
          for (const step of steps) {
            world.every(rank, { ...step, file }, at, rounds, files * cycle);
            at += step.seconds;
          }
        }
        world.pass(rank, rounds * files * cycle);
      });
    },
  };
}
