/** Default folder of servers' data and state. */
import { UsageError } from "../../base/errors.ts";
import { option } from "../option.ts";

export const DIR_OPTION = option.text("DIR", "folder with data and state of the servers", {
  default: "plimsoll-targets",
});

export function checkDir(dir: string): string {
  if (dir.trim() === "") throw new UsageError("--dir is empty: name a folder");
  return dir;
}
