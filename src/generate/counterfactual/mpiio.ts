/** Flaws of MPI-IO: small independent calls, one aggregator, data sieving of sparse writes. */
import { MIB } from "../log-builder.ts";
import {
  bulkSize,
  callsPerPart,
  clamp,
  everyRank,
  type Flaw,
  gathered,
  bulk,
  type Setting,
} from "./activity.ts";
import { rateOf } from "./machine.ts";
import { closeTogether, collective, openTogether } from "./mpi.ts";
import type { World } from "./world.ts";

const KIB = 1024;
/** ROMIO's buffer for sieving writes. */
const WINDOW = 512 * KIB;
/** Windows are read and written in turns, call by call. */
const WINDOWS_MAX = 4000;

export const MPIIO_FLAWS: readonly Flaw[] = [
  { cause: "independent-mpiio", also: ["small-writes"], ranksMin: 2, ranksMax: 256, plan: independent },
  {
    cause: "single-aggregator",
    also: ["one-rank-io"],
    ranksMin: 4,
    ranksMax: 512,
    plan(setting) {
      const { draw, machine, ranks, parts, place, word } = setting;
      const total = (setting.seconds / parts) * rateOf(machine, 1);
      const bytes = bulkSize(draw, total / ranks, 64 * KIB);
      const aggregators = Math.min(ranks, draw.pick([2, 4, 8, 16]));
      return {
        parameters: { bytesPerRank: bytes * parts, aggregators },
        run(world, part, mended) {
          const file = place.shared(world, `${word}.dat`);
          openTogether(world, file, machine, true);
          collective(world, machine, {
            ...{ kind: "write", file, bytesPerRank: bytes, offset: part * bytes * ranks },
            aggregators: mended ? aggregators : 1,
          });
          closeTogether(world, file, machine);
        },
      };
    },
  },
  { cause: "write-amplification", ranksMin: 2, ranksMax: 128, plan: sieving },
];

/** Blocks of all ranks woven into each other, written one by one or in one collective call. */
function independent(setting: Setting) {
  const { draw, machine, ranks, parts, place, word } = setting;
  const rate = rateOf(machine, ranks);
  const bytes = draw.size(512, 64 * KIB);
  const each = machine.writeCall + machine.lock + bytes / rate;
  const count = callsPerPart(setting, each, 64, 200_000);
  const aggregators = Math.min(ranks, draw.pick([2, 4, 8]));
  return {
    parameters: { bytes, countPerRank: count * parts, lockSeconds: machine.lock, aggregators },
    run(world: World, part: number, mended: boolean) {
      const file = place.shared(world, `${word}.dat`);
      const base = part * count * bytes * ranks;
      openTogether(world, file, machine, mended);
      if (mended) {
        const bytesPerRank = count * bytes;
        collective(world, machine, { kind: "write", file, bytesPerRank, offset: base, aggregators });
      } else
        everyRank(world, (rank) => {
          const seconds = machine.writeCall + machine.lock + bytes / world.rate(rank, rate);
          const run = {
            kind: "write",
            file,
            offset: base + rank * bytes,
            bytes,
            stride: ranks * bytes,
            seconds,
          };
          world.nest(rank, count, [
            { ...run, layer: "MPI-IO", kind: "write" },
            { ...run, kind: "write" },
          ]);
        });
      closeTogether(world, file, machine);
    },
  };
}

/** Pieces with holes between them: whole windows are read, changed and written, one rank after the other (it holds a lock). */
function sieving(setting: Setting) {
  const { draw, machine, ranks, parts, place, word } = setting;
  const rate = rateOf(machine, 1);
  const each = machine.readCall + machine.writeCall + (2 * WINDOW) / rate;
  const windows = callsPerPart(
    { ...setting, seconds: setting.seconds / ranks },
    each,
    4,
    WINDOWS_MAX / ranks,
  );
  const density = draw.log(1 / 32, 1 / 3);
  const piece = 512 * clamp(Math.round((WINDOW * density) / draw.whole(1, 16) / 512), 1, WINDOW / KIB);
  const pieces = Math.max(1, Math.round((WINDOW * density) / piece));
  const useful = windows * pieces * piece;
  // Sieving switched off helps where calls are cheap; else the program has to lay its data out without holes.
  const off = pieces * (machine.writeCall + piece / rate) < 0.3 * each;
  return {
    parameters: { windowsPerRank: windows * parts, piece, pieces, mending: off ? "no sieving" : "no holes" },
    run(world: World, part: number, mended: boolean) {
      const file = place.shared(world, `${word}.dat`);
      openTogether(world, file, machine, true);
      let free = 0;
      everyRank(world, (rank) => {
        const begin = world.clock(rank);
        const base = (part * ranks + rank) * windows * WINDOW;
        if (!mended) {
          world.waitUntil(rank, free);
          sieve(world, rank, { file, base, windows, setting, rate });
          free = world.clock(rank);
        } else {
          const size = off ? piece : gathered(piece);
          const own = rateOf(machine, ranks);
          if (off) {
            // Pieces lie a window's part apart.
            const stride = Math.floor(WINDOW / pieces);
            const seconds = machine.writeCall + size / world.rate(rank, own);
            const count = windows * pieces;
            world.make(rank, { kind: "write", file, offset: base, bytes: size, count, stride, seconds });
          } else {
            const offset = (part * ranks + rank) * useful;
            const call = machine.writeCall;
            bulk(world, rank, { kind: "write", file, offset, bytes: useful, piece: MIB, call, rate: own });
          }
        }
        world.around(rank, { layer: "MPI-IO", kind: "write", file, offset: base, bytes: useful }, begin);
      });
      closeTogether(world, file, machine);
    },
  };
}

interface Sieve {
  readonly file: string;
  readonly base: number;
  readonly windows: number;
  readonly setting: Setting;
  readonly rate: number;
}

function sieve(world: World, rank: number, { file, base, windows, setting, rate }: Sieve): void {
  const { machine } = setting;
  const own = world.rate(rank, rate);
  for (let i = 0; i < windows; i++) {
    const window = { file, offset: base + i * WINDOW, bytes: WINDOW };
    world.make(rank, { kind: "read", ...window, seconds: machine.readCall + WINDOW / own });
    world.make(rank, { kind: "write", ...window, seconds: machine.writeCall + WINDOW / own });
  }
}
