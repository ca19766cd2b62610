/** One access of every rank with a method of MPI-IO, timed: for tests and benchmarks of single calls. */
import type { NcioMethod } from "../../model/index.ts";
import type { RankAccess } from "../../ncio/pattern/index.ts";
import type { MpiCommunicator } from "./communicator.ts";
import { type Direction, openMpiFile } from "./files.ts";
import { type Hints, MPIIO_METHODS, requireMethod } from "./hints.ts";

interface MpiioRequest {
  readonly communicator: MpiCommunicator;
  readonly path: string;
  readonly access: RankAccess;
  readonly buffer: Uint8Array;
  readonly direction: Direction;
  readonly method: NcioMethod;
  /** MPI_File_sync after the operation. */
  readonly sync: boolean;
  /** In addition to those of the method: cb_nodes, cb_buffer_size, ind_wr_buffer_size, … */
  readonly hints?: Hints;
  /** Default 1. The file stays open. */
  readonly repeats?: number;
}

interface MpiioTimes {
  /** Of this rank, one per repeat; all ranks start together. */
  readonly seconds: readonly number[];
  readonly syncSeconds: readonly number[];
  readonly driver: string;
}

/** Collective: opens the file, makes one access of every rank with a method of MPI-IO, and closes it. */
export async function performMpiio(request: MpiioRequest): Promise<MpiioTimes> {
  const { communicator, path, access, buffer, direction, method, sync, hints = {}, repeats = 1 } = request;
  const { collective, hints: needed } = MPIIO_METHODS[method];
  const mode = direction === "read" ? "read" : "create";
  const file = await openMpiFile(communicator, path, { mode, hints: { ...needed, ...hints } });
  try {
    requireMethod(method, file.driver, communicator.mpi.version, path);
  } catch (error) {
    // All ranks get the same error here. A later call may fail on one rank only, which then ends the run.
    await file.close();
    throw error;
  }
  file.setView(access.fileStart, access.file);
  const prepared = file.prepare(buffer, access.memory);
  const seconds: number[] = [];
  const syncSeconds: number[] = [];
  for (let i = 0; i < repeats; i++) {
    await communicator.barrier();
    communicator.barrierNow();
    const began = performance.now();
    file.transfer(direction, prepared, collective);
    const done = performance.now();
    seconds.push((done - began) / 1000);
    if (!sync) continue;
    file.sync();
    syncSeconds.push((performance.now() - done) / 1000);
  }
  prepared.free();
  await file.close();
  return { seconds, syncSeconds, driver: file.driver as string };
}
