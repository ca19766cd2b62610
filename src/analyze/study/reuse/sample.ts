import { mixed } from "../common/hash.ts";

/** Files that intervals are made of. */
const SAMPLE_FILES = 3000;

/** At most this number of the files, chosen by hash; all when they are few. */
export function sampled(files: number): (file: number) => boolean {
  const every = Math.max(1, Math.ceil(files / SAMPLE_FILES));
  return every === 1 ? () => true : (file) => mixed(file, 0) % every === 0;
}
