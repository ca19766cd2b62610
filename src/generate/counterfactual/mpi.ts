/** MPI-IO as ROMIO does it: collective calls through aggregators, independent ones directly. */
import { MIB } from "../log-builder.ts";
import { type Machine, rateOf } from "./machine.ts";
import { bulk, everyRank } from "./activity.ts";
import type { World } from "./world.ts";

/** ROMIO's buffer of a collective call. */
const BUFFER = 16 * MIB;

/** All ranks open a file and, with `view`, say which part is theirs. Rank 0 makes it first. */
export function openTogether(world: World, file: string, machine: Machine, view: boolean): void {
  const starts = begin(world);
  world.weave(0, 1, [
    { kind: "open", file, seconds: machine.open },
    { kind: "close", file, seconds: machine.close },
  ]);
  world.barrier();
  everyRank(world, (rank) => world.make(rank, { kind: "open", file, seconds: machine.open }));
  end(world, { kind: "open", file }, starts);
  if (view)
    everyRank(world, (rank) => world.make(rank, { layer: "MPI-IO", kind: "view", file, seconds: 1e-4 }));
}

export function closeTogether(world: World, file: string, machine: Machine): void {
  const starts = begin(world);
  everyRank(world, (rank) => world.make(rank, { kind: "close", file, seconds: machine.close }));
  end(world, { kind: "close", file }, starts);
}

interface Collective {
  readonly kind: "read" | "write";
  readonly file: string;
  readonly bytesPerRank: number;
  readonly offset: number;
  readonly aggregators: number;
}

/** Ranks exchange their data with the aggregators, which move it in order. */
export function collective(
  world: World,
  machine: Machine,
  { kind, file, bytesPerRank, offset, aggregators }: Collective,
): void {
  const starts = begin(world);
  world.barrier();
  const total = bytesPerRank * world.ranks;
  // File domains of aggregators end at stripes.
  const domain = MIB * Math.ceil(total / aggregators / MIB);
  const exchange = domain / machine.networkRate;
  const call = kind === "read" ? machine.readCall : machine.writeCall;
  for (let index = 0; index < aggregators; index++) {
    const rank = Math.floor((index * world.ranks) / aggregators);
    const from = index * domain;
    const bytes = Math.min(domain, total - from);
    if (bytes <= 0) continue;
    world.pass(rank, exchange);
    const rate = rateOf(machine, aggregators);
    bulk(world, rank, { kind, file, offset: offset + from, bytes, piece: BUFFER, call, rate });
  }
  end(world, { kind, file, bytes: bytesPerRank, offset }, starts);
}

function begin(world: World): Float64Array {
  return Float64Array.from({ length: world.ranks }, (_, rank) => world.clock(rank));
}

/** The call of all ranks ends when the last is through. */
function end(
  world: World,
  run: { kind: "open" | "close" | "read" | "write"; file: string; bytes?: number; offset?: number },
  starts: Float64Array,
): void {
  world.barrier();
  const { bytes = 0, offset = 0 } = run;
  everyRank(world, (rank) => {
    const call = { ...run, layer: "MPI-IO", offset: offset + rank * bytes, collective: true } as const;
    world.around(rank, call, starts[rank] as number);
  });
}
