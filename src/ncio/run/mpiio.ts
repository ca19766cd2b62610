/** Operations by MPI-IO, which does not report its requests. */
import { rmSync, truncateSync } from "node:fs";
import {
  MPIIO_METHODS,
  type MpiCommunicator,
  type MpiFile,
  type Prepared,
  openMpiFile,
  requireMethod,
} from "../../launch/mpi/index.ts";
import type { NcioMethod } from "../../model/index.ts";
import { posixStorage } from "../storage/index.ts";
import type { StorageFile } from "../storage.ts";
import type { Intent, Performed, Performer } from "./performer.ts";
import type { Measuring } from "./plan.ts";
import { writeFile } from "../../node/write-file.ts";

export class MpiioPerformer implements Performer {
  readonly keeps = true;
  readonly #communicator: MpiCommunicator;
  readonly #path: string;
  readonly #measuring: Measuring;
  readonly #posix = posixStorage();
  #plain: StorageFile | undefined;
  #file: MpiFile | undefined;
  #prepared: Prepared | undefined;
  #intent: Intent | undefined;

  constructor(communicator: MpiCommunicator, path: string, measuring: Measuring) {
    this.#communicator = communicator;
    this.#path = path;
    this.#measuring = measuring;
  }

  async create(fileBytes: number): Promise<void> {
    if (this.#communicator.rank === 0) {
      writeFile(this.#path, "");
      // Beyond the end of a file ROMIO's data sieving writes stale buffer contents; inside the file holes stay.
      truncateSync(this.#path, fileBytes);
    }
    await this.#communicator.barrier();
    this.#plain = await this.#posix.open(this.#path, "write");
  }

  plain(): StorageFile {
    return this.#plain as StorageFile;
  }

  async prepare(intent: Intent): Promise<void> {
    const { method, access, buffer } = intent;
    const { method: options, hints } = this.#measuring;
    const sizes = {
      cb_nodes: String(options.aggregators),
      cb_buffer_size: String(options.collectiveBytes),
      ind_wr_buffer_size: String(options.sieveBytes),
      ind_rd_buffer_size: String(options.sieveBytes),
    };
    const file = await openMpiFile(this.#communicator, this.#path, {
      mode: "write",
      hints: { ...MPIIO_METHODS[method].hints, ...sizes, ...hints },
    });
    await this.#require(method, file);
    file.setView(access.fileStart, access.file);
    this.#file = file;
    this.#prepared = file.prepare(buffer, access.memory);
    this.#intent = intent;
  }

  /** All ranks get the same error; one reports it. */
  async #require(method: NcioMethod, file: MpiFile): Promise<void> {
    try {
      requireMethod(method, file.driver, this.#communicator.mpi.version, this.#path);
    } catch (error) {
      if (this.#communicator.rank === 0) {
        rmSync(this.#path, { force: true });
        this.#communicator.abort((error as Error).message);
      }
      await this.#communicator.barrier();
    }
  }

  async perform(): Promise<Performed> {
    const { method, direction } = this.#intent as Intent;
    const file = this.#file as MpiFile;
    file.transfer(direction, this.#prepared as Prepared, MPIIO_METHODS[method].collective);
    let syncSeconds = 0;
    if (direction === "write" && this.#measuring.method.sync) {
      const began = performance.now();
      file.sync();
      syncSeconds = (performance.now() - began) / 1000;
    }
    return { syncSeconds, requests: undefined, messages: undefined, movedBytes: undefined };
  }

  async remove(): Promise<void> {
    this.#prepared?.free();
    await this.#file?.close();
    await this.#plain?.close();
    this.#file = this.#prepared = this.#plain = undefined;
    await this.#communicator.barrier();
    if (this.#communicator.rank === 0) rmSync(this.#path, { force: true });
    await this.#communicator.barrier();
  }

  async close(): Promise<void> {
    await this.#posix.close();
  }
}
