/** Files that intervals are made of. */
import { mixed } from "../common/hash.ts";

export const SAMPLE_FILES = 3000;

/** At most so many files, chosen by hash; all when they are few. */
export function sampled(files: number, max = SAMPLE_FILES): (file: number) => boolean {
  const every = Math.max(1, Math.ceil(files / max));
  return every === 1 ? () => true : (file) => mixed(file, 0) % every === 0;
}
