/** `plimsoll write --method mpi-io`: the same output by MPI-IO into one shared file, measured for comparison. */
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { launchedBy } from "../../launch/environment.ts";
import { planWorkload, type StepRecord, writeShared } from "../../adaptive/runtime/index.ts";
import type { Context } from "../context.ts";
import { runUnderMpi } from "../mpiexec.ts";

interface BaselineValues {
  readonly workload: string | undefined;
  readonly processes: number;
  readonly scale: number;
  readonly targets: string | undefined;
  readonly memory: number;
  readonly targetSpeed: readonly string[];
  readonly baseSpeed: number | undefined;
  readonly mpiexec: string | undefined;
}

const FILE_VARIABLE = "PLIMSOLL_BASELINE_FILE";

/** Undefined on ranks that do not lead, and where the work was handed to mpiexec. */
export async function writeBaseline(
  asked: BaselineValues,
  context: Context,
): Promise<StepRecord | undefined> {
  const { workload, processes, scale, targets, memory, mpiexec } = asked;
  if (workload === undefined)
    throw new UsageError("--method mpi-io measures the output of a --workload; it writes no dataset");
  if (asked.targetSpeed.length > 0 || asked.baseSpeed !== undefined)
    throw new UsageError(
      "--method mpi-io writes at the speed of the folder; omit --target-speed and --base-speed",
    );
  const [folder = "."] = targets?.split(",") ?? [];
  const launched = launchedBy(process.env);
  if (launched === undefined) {
    const path = join(resolve(folder), `plimsoll-mpi-io-${randomBytes(4).toString("hex")}`);
    await runUnderMpi(
      {
        ranks: processes,
        mpiexec,
        option: "--method mpi-io",
        file: { path, variable: FILE_VARIABLE, value: path },
      },
      context,
    );
    return undefined;
  }
  if (launched.size !== processes)
    throw new UsageError(
      `--processes ${processes}: ${launched.by} started ${launched.size} ranks; they must be equal`,
    );
  const { connectMpi, openMpiFile } = await import("../../launch/mpi/index.ts");
  const communicator = await connectMpi();
  const path = process.env[FILE_VARIABLE] ?? join(resolve(folder), `plimsoll-mpi-io-${workload}`);
  const [bytes = 0] = planWorkload(workload, processes, scale).sources.map((source) => source.bytes);
  const title = `${workload}: ${processes} processes into one file by MPI-IO (${communicator.name})`;
  const record = await writeShared(communicator, {
    ...{ path, title, bytes },
    open: openMpiFile,
    memoryBytes: Math.max(1, Math.floor(memory / processes)),
  });
  await communicator.close();
  return record;
}
