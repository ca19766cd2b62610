/** The storage of a plan, opened by a rank. */
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import type { Communicator } from "../../launch/communicator.ts";
import { memoryStorage, nullStorage, posixStorage } from "../storage/index.ts";
import type { Storage } from "../storage.ts";
import { type Performer, StoragePerformer } from "./performer.ts";
import { BLOCKING_SYNC, type RunPlan } from "./plan.ts";

/** Ranks of one process share its memory storage. */
let memory: Storage | undefined;

export async function openPerformer(communicator: Communicator, plan: RunPlan): Promise<Performer> {
  const { backend, measuring, file } = plan;
  const over = (storage: Storage, path: string) =>
    new StoragePerformer(communicator, storage, path, measuring);
  switch (backend.kind) {
    case "posix":
      return over(posixStorage(), join(backend.folder, file));
    case "memory":
      return over((memory ??= memoryStorage()), file);
    case "null":
      return over(nullStorage(), file);
    case "servers": {
      const { connectServers, SYNC_TIMEOUT_MS } = await import("../servers/index.ts");
      const { addresses, token, modes } = backend;
      // If a sync blocks a server, any request may wait as long as a sync.
      const patience = modes.includes(BLOCKING_SYNC) ? { timeoutMs: SYNC_TIMEOUT_MS } : {};
      return over(await connectServers({ addresses, token, ...patience }), file);
    }
    case "mpiio": {
      const { MpiCommunicator } = await import("../../launch/mpi/index.ts");
      if (!(communicator instanceof MpiCommunicator))
        throw new UsageError("--backend mpiio must be started with mpiexec");
      const { MpiioPerformer } = await import("./mpiio.ts");
      return new MpiioPerformer(communicator, join(backend.folder, file), measuring);
    }
  }
}
