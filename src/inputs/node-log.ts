/** Logs from files of this machine. Apart from node.ts, since who only prints a log need not load what judges jobs. */
import type { DarshanLog } from "../formats/darshan/log.ts";
import { nodeCodecs } from "../node/codecs.ts";
import { openFile } from "../node/file-source.ts";
import { gunzipped } from "../node/gzip-source.ts";
import { type LogHost, type LogOptions, withLog as withLogOf } from "./log/index.ts";

export const logHost: LogHost = {
  codecs: nodeCodecs,
  open: (path, { partly = false, ...gzip } = {}) => gunzipped(openFile(path, partly ? 0 : undefined), gzip),
};

/** Opens `path`, an input with counters or a gzip file of one, hands the log to `use`, and closes it. */
export const withLog = <T>(
  path: string,
  options: LogOptions,
  use: (log: DarshanLog) => T | Promise<T>,
): Promise<T> => withLogOf(path, options, logHost, use);
