/** Becomes a rank of the MPI run that this process was started in. */
import { UsageError } from "../../base/errors.ts";
import { type Environment, type Launched, launchedBy } from "../environment.ts";
import { MpiCommunicator, type MpiCommunicatorOptions } from "./communicator.ts";
import { check, loadMpi, type Mpi } from "./library.ts";

interface ConnectOptions extends MpiCommunicatorOptions {
  readonly env?: Environment;
  /** Leaves SIGINT and SIGTERM to other listeners. */
  readonly ownSignals?: boolean;
}

const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Collective. From here to `close()` a process that ends in any other way ends the whole run: by an exception, by `process.exit`, by a
 * signal. The failing rank says why in one line.
 */
export async function connectMpi(options: ConnectOptions = {}): Promise<MpiCommunicator> {
  const env = options.env ?? process.env;
  const launched = launchedBy(env);
  const mpi = await loadMpi(env, launched);
  if (mpi.abi.id === "openmpi") chooseRomio(mpi.version);
  const provided = new Int32Array(1);
  check(mpi, mpi.call.Init_thread(null, null, mpi.abi.threadFunneled, provided), "MPI_Init_thread");
  // srun keeps the other ranks running when a signal ends one; mpiexec ends them and reports it.
  const endings = new Endings(mpi, launched?.by === "srun" && options.ownSignals !== true);
  const communicator = new MpiCommunicator(mpi, options, () => endings.remove());
  endings.install(communicator);
  if (launched !== undefined && communicator.size !== launched.size) {
    const reason = mismatch(launched, communicator);
    await communicator.close();
    throw new UsageError(reason);
  }
  return communicator;
}

/** Open MPI's own I/O ignores the hints that select a method. A choice of the user stays. */
function chooseRomio(version: string): void {
  process.env.OMPI_MCA_io ??= /^Open MPI [1-4]\./.test(version) ? "romio321" : "romio341";
}

/** Every process sees a single rank when its library cannot talk to the launcher. */
function mismatch(launched: Launched, { size, mpi }: MpiCommunicator): string {
  const found = `${launched.by} started ${launched.size} processes, but ${mpi.version} (${mpi.path}) sees ${size}`;
  if (launched.by === "srun" && launched.speaks === "none")
    return `${found}: start it with srun --mpi=pmi2 (srun --mpi=list shows what is available)`;
  const other = launched.speaks === "pmix" ? "Open MPI" : "MPICH or a compatible library";
  return `${found}: this launcher belongs to ${other}; use the mpiexec of the library, or name the launcher's library in PLIMSOLL_MPI`;
}

/** Any end of this process before `close` ends the run. */
class Endings {
  readonly #mpi: Mpi;
  readonly #signals: boolean;
  #remove: () => void = () => {};

  constructor(mpi: Mpi, signals: boolean) {
    this.#mpi = mpi;
    this.#signals = signals;
  }

  install(communicator: MpiCommunicator): void {
    const failed = (error: unknown) =>
      communicator.abort(error instanceof Error ? error.message || error.name : String(error));
    // Without a line: the other ranks are ended by signals too, and one line is enough.
    const signalled = (signal: keyof typeof SIGNAL_CODES) => {
      this.#mpi.call.Abort(this.#mpi.handles.world, SIGNAL_CODES[signal]);
      process.exit(SIGNAL_CODES[signal]);
    };
    const exited = (code: number) =>
      this.#mpi.call.Abort(this.#mpi.handles.world, code === 0 && !communicator.abandoned ? 1 : code);
    process.on("uncaughtException", failed).on("unhandledRejection", failed).on("exit", exited);
    if (this.#signals) process.on("SIGINT", signalled).on("SIGTERM", signalled);
    this.#remove = () => {
      process.off("uncaughtException", failed).off("unhandledRejection", failed).off("exit", exited);
      process.off("SIGINT", signalled).off("SIGTERM", signalled);
    };
  }

  remove(): void {
    this.#remove();
  }
}
