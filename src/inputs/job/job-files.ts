/** The inputs of one job: logs, or traces, by what they hold. */
import { UsageError } from "../../base/errors.ts";
import { detectFormat } from "../../formats/catalogue.ts";
import { isLogName } from "../../formats/darshan/header.ts";
import type { InputFormat } from "../../formats/input-format.ts";
import { findInputs, openInput, STDIN } from "./files.ts";
import type { Listener } from "../../base/listener.ts";
import type { InputHost } from "./host.ts";

export interface JobFile {
  readonly path: string;
  /** As it was given: the path, or the folder that it was found in. */
  readonly name: string;
  /** Undefined where reading will say what is wrong. */
  readonly format: InputFormat | undefined;
}

/** Files as they are, folders as what they hold. */
export function jobFiles(paths: readonly string[], host: InputHost, listener: Listener): JobFile[] {
  return findInputs(paths, ["counters", "calls"], host, listener).map(({ name, path = STDIN }) => ({
    ...{ path, name },
    format: formatOf(path, name, paths.length > 1, host),
  }));
}

/** Of several inputs, one that is damaged or of no known format is left out later, by name. */
function formatOf(path: string, name: string, isLenient: boolean, host: InputHost): InputFormat | undefined {
  const source = openInput(path, host, { partly: true });
  try {
    return detectFormat(source, "counters", "calls");
  } catch (error) {
    // Reading it as a log says what is wrong with it.
    if (isLenient || name !== path || isLogName(path)) return undefined;
    throw error;
  } finally {
    source.close();
  }
}

/** Whether they are traces without counters. A job is read from one kind or the other. */
export function isTraces(files: readonly JobFile[]): boolean {
  const traces = files.filter(({ format }) => format !== undefined && format.counters === undefined);
  if (traces.length === 0) return false;
  const log = files.find(({ format }) => format?.counters !== undefined);
  if (log !== undefined)
    throw new UsageError(
      `${log.path} has counters and ${traces[0]?.path} has only single calls; pass logs or traces, not both`,
    );
  return true;
}
