/** Files of the program itself and of its run-time: modules, libraries, archives of classes. */
import type { JobFile } from "./job.ts";

/** What interpreters and loaders read before any work begins. */
const PROGRAM_FILE =
  /\.(py[cod]?|so(\.[0-9]+)*|dylib|jar|class|pm|rb|jl|egg-info)$|\/((site|dist)-packages|__pycache__|node_modules)\/|\/lib(64)?\/(python|perl|R|ruby|julia)[0-9.]*\//;

export const isProgramPath = (path: string): boolean => PROGRAM_FILE.test(path);

/** A program that writes such files makes them: then they are data. */
export const isProgramFile = ({ path, bytesWritten }: Pick<JobFile, "path" | "bytesWritten">): boolean =>
  !(bytesWritten > 0) && isProgramPath(path);

/** Folder of the environment that a module belongs to: what lies above `lib/python3.11` and the like. */
export function environmentOf(path: string): string {
  const lib = /^(.+?)\/lib(64)?\/(python|perl|R|ruby|julia)[0-9.]*\//.exec(path);
  return lib?.[1] ?? path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
