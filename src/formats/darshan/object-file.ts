/** The file that a dataset or a variable lies in. */
import type { ModuleSpec } from "./modules/index.ts";
import { recordId } from "./record-id.ts";

/** Records of datasets and variables say in a word of their own which file they lie in. */
export const hasFileId = ({ integersAt }: ModuleSpec) => integersAt === 3;

/**
 * The first version of H5D has no such word, but its names are `file:dataset`. Either may have colons: the longest name of
 * a file that the log knows.
 */
export function fileOfObject(
  path: string | null,
  name: (id: bigint) => { readonly path: string | null },
): bigint {
  for (let end = path?.lastIndexOf(":") ?? -1; end > 0; end = (path as string).lastIndexOf(":", end - 1)) {
    const id = recordId((path as string).slice(0, end));
    if (name(id).path !== null) return id;
  }
  return 0n;
}
