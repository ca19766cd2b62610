/** Files of a dataset: the index NAME, its folder NAME.dir, and the state kept there during a write. */
import { basename, dirname, join } from "node:path";

export interface DatasetNames {
  /** The global index; readers open this. */
  readonly index: string;
  readonly folder: string;
  /** State of the writer, below the folder. */
  readonly notes: string;
  readonly base: string;
}

export function datasetNames(path: string): DatasetNames {
  const folder = `${path}.dir`;
  return { index: path, folder, notes: join(folder, ".plimsoll"), base: basename(path) };
}

/** Subfile k as readers find it. */
export const subfilePath = ({ folder, base }: DatasetNames, k: number): string =>
  join(folder, `${base}.${k}`);

/** A file on a target; `attempt` differs each time a write is started, so that names never clash. */
export const dataPath = (target: string, base: string, attempt: string, file: number): string =>
  join(target, `${base}.${attempt}.${file}`);

/** Whether a path was made by `dataPath` for this dataset. */
export function isDataPath(path: string, base: string): boolean {
  const name = basename(path);
  return name.startsWith(`${base}.`) && /^[0-9a-f]{12}\.\d+$/.test(name.slice(base.length + 1));
}

export const attemptOf = (path: string): string => basename(path).split(".").at(-2) ?? "";

export const indexDraft = ({ index }: DatasetNames, attempt: string, who: number): string =>
  join(dirname(index), `${basename(index)}.part-${attempt}-${who}`);
