/**
 * Which bytes count as moved by the file system. One MPI-IO call may make many POSIX calls, perhaps in another process
 * (collective buffering), so the rule goes by file: where a file has accesses made inside others, those moved its bytes and
 * outer ones that do not say what they moved themselves moved nothing. Where accesses are nested somewhere in the
 * collection, the recorder sees all layers, and a file without nested ones was accessed directly: what was asked for was
 * moved, unless the access says otherwise.
 */
import type { Collection } from "./collector.ts";

export interface MovedRule {
  /** False when some access does not say what it moved and nothing else does. */
  readonly known: boolean;
  /** Accesses whose moved bytes are not known. */
  readonly unknown: number;
  /** Outermost accesses that count with what they asked for. */
  readonly stoodIn: number;
  /** What the accesses of a tally moved; 0n where others say it. */
  movedOf(tally: number): bigint;
}

export function movedRule({ tallies, entities, counts }: Collection): MovedRule {
  const nestedFiles = new Uint8Array(entities.files.length);
  const nestedInputs = new Set<number>();
  for (let at = 0; at < tallies.size; at++) {
    if (!tallies.isNested(at) || tallies.accesses[at] === 0) continue;
    nestedFiles[tallies.file[at] as number] = 1;
    nestedInputs.add(entities.processes[tallies.process[at] as number]?.input ?? -1);
  }
  /** Accesses on files without a name lie above the nested ones of their input. */
  const isAbove = (at: number) => {
    const file = tallies.file[at] as number;
    if (entities.files[file]?.path !== "") return nestedFiles[file] === 1;
    return nestedInputs.has(entities.processes[tallies.process[at] as number]?.input ?? -1);
  };
  const layered = counts.nested > 0;
  let [unknown, stoodIn] = [0, 0];
  for (let at = 0; at < tallies.size; at++) {
    const silent = (tallies.accesses[at] as number) - (tallies.movedKnown[at] as number);
    if (silent === 0 || tallies.isNested(at) || isAbove(at)) continue;
    if (layered) stoodIn += silent;
    else unknown += silent;
  }
  const movedOf = (at: number) => {
    const said = tallies.moved.total(at);
    const counts = tallies.isNested(at) || (layered && !isAbove(at));
    return counts ? said + tallies.bytes.total(at) - tallies.movedAsked.total(at) : said;
  };
  return { known: counts.accesses > 0 && unknown === 0, unknown, stoodIn, movedOf };
}
