/** Flaws of HDF5: fill values, one row at a time, a chunk cache that is too small. */
import { MIB } from "../log-builder.ts";
import { bulk, callsPerPart, clamp, close, everyRank, type Flaw, open, type Setting } from "./activity.ts";
import { type Machine, rateOf } from "./machine.ts";
import { closeTogether, openTogether } from "./mpi.ts";
import type { World } from "./world.ts";

const KIB = 1024;
const ELEMENT = 8;
/** Where data begins behind the headers of a file. */
const DATA = 2048;
/** What HDF5 writes at the begin of a file when it is closed. */
const HEADERS = [96, 544, 328] as const;

export const HDF5_FLAWS: readonly Flaw[] = [
  {
    cause: "hdf5-fill",
    also: ["write-amplification"],
    ranksMin: 1,
    ranksMax: 128,
    plan(setting) {
      const { machine, ranks, parts } = setting;
      const alone = rateOf(machine, 1);
      const together = rateOf(machine, ranks);
      const total = setting.seconds / parts / (1 / alone + 1 / (together * ranks));
      const bytes = MIB * Math.max(1, Math.round(total / ranks / MIB));
      return {
        parameters: { bytesPerRank: bytes * parts },
        run(world, part, mended) {
          const { file, dataset } = shape(setting, world, part, { bytes, total: bytes * ranks });
          openFile(world, file, machine);
          const begin = everyClock(world);
          if (!mended) {
            const seconds = machine.writeCall + MIB / world.rate(0, alone);
            const run = { file, offset: DATA, bytes: MIB, stride: MIB, seconds };
            world.nest(0, (bytes * ranks) / MIB, lower(world, { ...run, kind: "write" }));
          }
          // Making the dataset ends when its space is written.
          world.barrier();
          everyRank(world, (rank) =>
            world.around(rank, { layer: "H5D", kind: "open", file: dataset }, begin[rank] as number),
          );
          everyRank(world, (rank) => {
            const seconds = machine.writeCall + bytes / world.rate(rank, together);
            const run = { kind: "write", file, offset: DATA + rank * bytes, bytes, seconds } as const;
            world.nest(rank, 1, [{ ...run, layer: "H5D", file: dataset }, ...lower(world, run)]);
          });
          closeFile(world, file, dataset, machine);
        },
      };
    },
  },
  { cause: "hdf5-small", also: ["small-writes"], ranksMin: 1, ranksMax: 128, plan: rows },
  { cause: "hdf5-chunk-cache", also: ["re-reads"], ranksMin: 1, ranksMax: 64, plan: chunks },
];

/** One call for each row, or one for all rows of a rank. */
function rows(setting: Setting) {
  const { draw, machine, ranks, parts } = setting;
  const rate = rateOf(machine, ranks);
  const bytes = ELEMENT * draw.whole(2, 1024);
  const count = callsPerPart(setting, machine.writeCall + bytes / rate, 128, 500_000);
  return {
    parameters: { rowBytes: bytes, rowsPerRank: count * parts },
    run(world: World, part: number, mended: boolean) {
      const size = mended ? count * bytes : bytes;
      const { file, dataset } = shape(setting, world, part, { bytes: size, total: count * bytes * ranks });
      openFile(world, file, machine);
      everyRank(world, (rank) => {
        world.make(rank, { layer: "H5D", kind: "open", file: dataset, seconds: 2e-4 });
        const offset = DATA + rank * count * bytes;
        const seconds = machine.writeCall + size / world.rate(rank, rate);
        const run = { kind: "write", file, offset, bytes: size, stride: size, seconds } as const;
        world.nest(rank, mended ? 1 : count, [{ ...run, layer: "H5D", file: dataset }, ...lower(world, run)]);
      });
      closeFile(world, file, dataset, machine);
    },
  };
}

/** Slices across chunks: every slice reads all chunks of the dataset again, or only the first one does. */
function chunks(setting: Setting) {
  const { draw, machine, ranks, parts, place, word } = setting;
  const rate = rateOf(machine, ranks);
  const chunk = draw.size(64 * KIB, 4 * MIB);
  const count = draw.whole(4, 64);
  const call = Math.min(machine.readCall, chunk / rate / 5);
  const each = count * (call + chunk / rate);
  const slices = clamp(
    Math.round(setting.seconds / parts / each),
    4,
    Math.max(8, Math.floor(4000 / ranks / parts)),
  );
  const slice = ELEMENT * Math.max(1, Math.floor((count * chunk) / slices / ELEMENT));
  return {
    parameters: { chunkBytes: chunk, chunks: count, slices: slices * parts, sliceBytes: slice },
    run(world: World, part: number, mended: boolean) {
      everyRank(world, (rank) => {
        const file = place.file(world, `${word}.${rank}.${part}.h5`, rank);
        const dataset = describe(world, file, {
          ...{ bytes: slice, total: slice * slices, chunk: chunk / ELEMENT, parallel: false },
        });
        const begin = world.clock(rank);
        open(world, rank, file, machine);
        world.around(rank, { layer: "H5F", kind: "open", file }, begin);
        world.make(rank, { layer: "H5D", kind: "open", file: dataset, seconds: 2e-4 });
        for (let i = 0; i < slices; i++) {
          const start = world.clock(rank);
          if (i === 0 || !mended)
            bulk(world, rank, {
              ...{ kind: "read", file, offset: DATA, bytes: count * chunk, piece: chunk },
              ...{ call, rate },
            });
          else world.pass(rank, slice / 5e9);
          world.around(rank, { layer: "H5D", kind: "read", file: dataset, bytes: slice }, start);
        }
        world.make(rank, { layer: "H5D", kind: "close", file: dataset, seconds: 5e-5 });
        const last = world.clock(rank);
        close(world, rank, file, machine);
        world.around(rank, { layer: "H5F", kind: "close", file }, last);
      });
    },
  };
}

interface Shape {
  /** Of an access. */
  readonly bytes: number;
  /** Of the dataset. */
  readonly total: number;
}

function shape({ place, word }: Setting, world: World, part: number, { bytes, total }: Shape) {
  const file = place.shared(world, `${word}.${part}.h5`);
  return { file, dataset: describe(world, file, { bytes, total, chunk: 0, parallel: world.ranks > 1 }) };
}

function describe(
  world: World,
  file: string,
  { bytes, total, chunk, parallel }: Shape & { chunk: number; parallel: boolean },
): string {
  const dataset = `${file}:/q`;
  world.datasets.set(dataset, {
    file,
    counters: {
      DATASPACE_NDIMS: 1,
      DATASPACE_NPOINTS: total / ELEMENT,
      DATATYPE_SIZE: ELEMENT,
      ACCESS1_LENGTH_D5: bytes / ELEMENT,
      ACCESS1_STRIDE_D5: 1,
      CHUNK_SIZE_D1: chunk,
    },
  });
  if (parallel) world.datasets.set(file, { file: "", counters: { USE_MPIIO: 1 } });
  return dataset;
}

/** Below HDF5: MPI-IO and POSIX in a parallel program, POSIX alone in others. */
function lower<
  Access extends { readonly kind: "read" | "write"; readonly file: string; readonly seconds: number },
>(world: World, run: Access) {
  return world.ranks > 1 ? [{ ...run, layer: "MPI-IO" } as const, run] : [run];
}

const everyClock = (world: World): Float64Array =>
  Float64Array.from({ length: world.ranks }, (_, rank) => world.clock(rank));

function openFile(world: World, file: string, machine: Machine): void {
  const begin = everyClock(world);
  if (world.ranks > 1) openTogether(world, file, machine, false);
  else open(world, 0, file, machine);
  everyRank(world, (rank) => world.around(rank, { layer: "H5F", kind: "open", file }, begin[rank] as number));
}

function closeFile(world: World, file: string, dataset: string, machine: Machine): void {
  everyRank(world, (rank) => world.make(rank, { layer: "H5D", kind: "close", file: dataset, seconds: 5e-5 }));
  const begin = everyClock(world);
  let offset = 0;
  for (const bytes of HEADERS) {
    world.nest(0, 1, lower(world, { kind: "write", file, offset, bytes, seconds: machine.writeCall }));
    offset += bytes;
  }
  if (world.ranks > 1) closeTogether(world, file, machine);
  else close(world, 0, file, machine);
  everyRank(world, (rank) =>
    world.around(rank, { layer: "H5F", kind: "close", file }, begin[rank] as number),
  );
}
