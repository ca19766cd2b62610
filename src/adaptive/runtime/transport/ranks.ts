/** `mpiexec -n 8 PROGRAM`: rank 0 writes as without MPI, the other ranks host its writers. */
import { UsageError } from "../../../base/errors.ts";
import type { Listener } from "../../../base/listener.ts";
import { launchedBy } from "../../../launch/environment.ts";
import type { WriterOptions } from "../session/options.ts";
import { RankHosts } from "./mpi.ts";
import { serveWrites } from "./mpi-rank.ts";

export type Ranks = Pick<WriterOptions, "writers" | "transport">;

interface RanksListener extends Pick<Listener, "note"> {
  /** Ctrl-C reaches all ranks, and the first one decides what happens: called on the others. */
  interrupted(): void;
}

/** Calls `write` on rank 0, or where there are no ranks. The others come back when they have done their part. */
export async function withRanks(
  writers: number | undefined,
  { note, interrupted }: RanksListener,
  write: (ranks: Ranks) => Promise<void>,
): Promise<void> {
  const launched = launchedBy(process.env);
  // One rank alone writes as without MPI: with processes of its own.
  if (launched === undefined || launched.size === 1) return write({ writers });
  const { rank, size, by } = launched;
  if (writers !== undefined && writers > size - 1)
    throw new UsageError(`--writers ${writers}: ${by} started ${size} ranks, of which ${size - 1} can write`);
  if (rank > 0) process.on("SIGINT", interrupted);
  const { connectMpi } = await import("../../../launch/mpi/index.ts");
  const communicator = await connectMpi({ ownSignals: rank === 0 });
  if (rank > 0) {
    await serveWrites(communicator);
    return communicator.close();
  }
  const hosts = new RankHosts(communicator);
  try {
    await write({ writers: writers ?? hosts.hosts, transport: hosts });
  } finally {
    // Ranks that hang in a call to the system are ended with the run, when this process ends.
    if (await hosts.quit()) await communicator.close();
    else {
      note?.("some ranks no longer respond; they are stopped with the run");
      communicator.abandoned = true;
    }
  }
}
