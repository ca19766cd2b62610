/** Measures points as the options say; MPI-IO starts this command again as ranks. */
import { launchedBy } from "../../launch/environment.ts";
import {
  type Measured,
  type MeasureRequest,
  measurePoints,
  measureUnderMpi,
} from "../../ncio/run/measure.ts";
import type { Context } from "../context.ts";
import { type Common, measuringOf } from "./options.ts";

interface Request extends Pick<MeasureRequest, "points" | "setting" | "openJournal"> {
  readonly options: Common;
}

/** Undefined on ranks that do not lead, and where the work was handed to mpiexec: then there is nothing to print. */
export async function measure(
  { options, ...rest }: Request,
  context: Context,
): Promise<Measured | undefined> {
  const { ranks, backend, dir, servers, memory, serverSync, serverJoin } = options;
  const measuring = (stripBytes: number | undefined) => measuringOf(options, stripBytes);
  const serverModes = { syncs: serverSync, joins: serverJoin };
  const request = { ...rest, ranks, backend, dir, servers, serverModes, memory, measuring };
  if (backend !== "mpiio" || launchedBy(process.env) !== undefined) return measurePoints(request, context);
  context.exitWith(await measureUnderMpi(request, options.mpiexec, context));
  return undefined;
}
