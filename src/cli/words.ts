/** The words of the command line. */
import { readFileSync } from "node:fs";
import { mayBeReplaced, pathText } from "../node/raw-path.ts";

/** Names that are not UTF-8 as `fsPath` understands them, where the system still has their bytes. */
export function commandWords(): string[] {
  const words = process.argv.slice(2);
  if (!words.some(mayBeReplaced)) return words;
  try {
    const bytes = readFileSync("/proc/self/cmdline");
    const raw: string[] = [];
    for (let at = 0; at < bytes.length; ) {
      const end = bytes.indexOf(0, at);
      raw.push(pathText(bytes.subarray(at, end < 0 ? bytes.length : end)));
      at = end < 0 ? bytes.length : end + 1;
    }
    return raw.length < words.length ? words : raw.slice(-words.length);
  } catch {
    return words;
  }
}
