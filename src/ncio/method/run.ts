/** The table of methods, and one operation of one rank by any of them. */
import { assert } from "../../base/assert.ts";
import { UsageError } from "../../base/errors.ts";
import type { NcioMethod } from "../../model/index.ts";
import { dataBytes, endOf, isOrdered } from "../pattern/index.ts";
import { datatype } from "./datatype.ts";
import { list } from "./list.ts";
import { METHOD_DEFAULTS, type MethodOptions, type RankOperation, type OperationResult } from "./method.ts";
import { posix } from "./posix.ts";
import { Requests } from "./requests.ts";
import { sieving } from "./sieving.ts";
import type { Outcome, Task } from "./task.ts";
import { twoPhase } from "./two-phase.ts";

const TABLE: Readonly<Record<NcioMethod, (task: Task) => Promise<Outcome>>> = {
  posix,
  sieving,
  list,
  "two-phase": twoPhase,
  datatype,
};

export const METHODS = Object.keys(TABLE) as readonly NcioMethod[];

/**
 * Writes or reads the access of this rank. Sieving (for writing) and two phase are collective: all ranks call with the same
 * method, direction and options. If it fails on one rank the others may block: the caller ends the run.
 */
export async function runOperation(operation: RankOperation): Promise<OperationResult> {
  const { method, direction, storage, file, access, buffer, communicator } = operation;
  const clock = operation.clock ?? monotonicNs;
  const options = boundBy(checkMethodOptions({ ...METHOD_DEFAULTS, ...operation.options }), storage);
  const bytes = dataBytes(access.file);
  assert(bytes === dataBytes(access.memory), "an access has equal bytes in memory and in the file");
  assert(endOf(access.memory) <= buffer.length, "the buffer holds the memory of the access");
  if (method === "sieving" && !isOrdered(access.file))
    throw new UsageError("data sieving needs ascending file offsets");
  const requests = new Requests(file, clock, operation.onRequests);
  const outcome = await TABLE[method]({ direction, access, buffer, bytes, options, communicator, requests });
  const end = clock();
  if (direction === "write" && options.sync) {
    // One sync for all waits until all have written.
    if (outcome.syncsForAll === true) await communicator.barrier();
    if (outcome.syncs !== false) await requests.sync();
    if (outcome.together === true) await communicator.barrier();
  }
  const syncNs = clock() - end;
  const { movedBytes } = requests;
  const result = { bytes, requests: requests.requests, movedBytes, syncNs };
  return outcome.fallback === undefined ? result : { ...result, fallback: outcome.fallback };
}

/** Fails with a `UsageError` that names the option. */
function checkMethodOptions(options: MethodOptions): MethodOptions {
  const check = (name: keyof MethodOptions, most: number): void => {
    const value = options[name];
    if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > most)
      throw new UsageError(`${name} is a whole number from 1 to ${most}, found ${value}`);
  };
  check("listPairs", 2 ** 24);
  check("sieveBytes", 2 ** 31);
  check("aggregators", 2 ** 31);
  // Offsets within a window are sent as 32-bit numbers.
  check("collectiveBytes", 2 ** 31);
  check("alignBytes", Number.MAX_SAFE_INTEGER);
  check("requestBytes", 2 ** 31);
  if (options.flowPairs !== undefined) check("flowPairs", 2 ** 31);
  return options;
}

function boundBy(
  options: MethodOptions,
  { listMax, requestBytesMax }: RankOperation["storage"],
): MethodOptions {
  return {
    ...options,
    listPairs: Math.min(options.listPairs, listMax ?? options.listPairs),
    requestBytes: Math.min(options.requestBytes, requestBytesMax ?? options.requestBytes),
  };
}

function monotonicNs(): number {
  return performance.now() * 1e6;
}
