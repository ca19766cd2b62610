/** Where servers keep their data and state unless told. */
import { UsageError } from "../../base/errors.ts";
import type { OptionSpec } from "../command.ts";

export const DIR_OPTION = {
  kind: "string",
  default: "plimsoll-targets",
  valueName: "DIR",
  help: "folder with data and state of the servers",
} as const satisfies OptionSpec;

export function checkDir(dir: string): string {
  if (dir.trim() === "") throw new UsageError("--dir is empty: name a folder");
  return dir;
}
