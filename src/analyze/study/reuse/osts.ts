/** Where the selected files lie: their bytes, files, applications and users by OST, of all OSTs that any access names. */
import { eachLayout } from "./layout-texts.ts";
import type { Prepared } from "./prepare.ts";
import { Codes, eachPage, WordSums } from "./sweep/index.ts";

export interface OstLoad {
  readonly ost: number;
  readonly bytes: bigint;
  readonly files: number;
  readonly applications: number;
  readonly users: number;
  /** Sum of the squares of what single accesses moved to and from it: how much chance there is in its bytes. */
  readonly squares: number;
  /** The most that one of them moved. */
  readonly largest: number;
}

export interface Osts {
  /** Rising by number. */
  readonly loads: readonly OstLoad[];
  /** Files with a known layout, and those of them on one OST only. */
  readonly files: number;
  readonly onOne: number;
  /** For each of some OSTs the files with most bytes on it, most first: number of the file and bytes. */
  filesOn(osts: readonly number[], most: number): { file: number; bytes: bigint }[][];
}

/** Files of an OST that are held at a time while the largest are looked for. */
const FILES_HELD = 10_000;

/** OSTs by layout, as places in a rising list of OSTs. */
interface Targets {
  readonly osts: readonly number[];
  readonly ofLayout: readonly (readonly number[])[];
}

export const ostsOf = async (prepared: Prepared): Promise<Osts> =>
  measure(prepared, await targetsOf(prepared));

async function targetsOf({ db, scan }: Prepared): Promise<Targets> {
  const { names } = scan;
  const lists: (readonly number[])[] = Array.from({ length: names.counts.layouts + 1 }, () => []);
  // Those without a selected file too: they are the least active.
  const all = new Set<number>();
  await eachLayout(db, (number, list) => {
    for (const ost of list) all.add(ost);
    const layout = names.layoutOf(number);
    if (layout !== 0) lists[layout] = list;
  });
  const osts = [...all].sort((a, b) => a - b);
  const place = new Map(osts.map((ost, i) => [ost, i]));
  return { osts, ofLayout: lists.map((list) => list.map((ost) => place.get(ost) as number)) };
}

function measure({ scan, options }: Prepared, { osts, ofLayout }: Targets): Osts {
  const { layouts } = scan;
  const bytes = new WordSums(osts.length);
  const squares = new Float64Array(osts.length);
  const largest = new Float64Array(osts.length);
  const files = new Float64Array(osts.length);
  const lastFile = new Float64Array(osts.length).fill(-1);
  let [known, onOne, width, last] = [0, 0, 0, -1];
  eachPage(
    [layouts.file, layouts.layout, layouts.bytes, layouts.squares, layouts.largest],
    ([file, layout, moved, square, most], from) => {
      for (let i = 0; i < file.length; i++) {
        const one = file[i] as number;
        const targets = ofLayout[layout[i] as number] as readonly number[];
        if (one !== last) {
          known++;
          if (width === 1) onOne++;
          width = 0;
          last = one;
        }
        width = Math.max(width, targets.length);
        share(layouts.large.get(from + i) ?? (moved[i] as number), targets.length, (k, part) => {
          const at = targets[k] as number;
          if (typeof part === "bigint") bytes.addBigint(at, part);
          else bytes.add(at, part % 2 ** 32, Math.floor(part / 2 ** 32));
        });
        for (const at of targets) {
          largest[at] = Math.max(largest[at] as number, (most[i] as number) / targets.length);
          squares[at] = (squares[at] as number) + (square[i] as number) / targets.length ** 2;
          if (lastFile[at] === one) continue;
          lastFile[at] = one;
          files[at] = (files[at] as number) + 1;
        }
      }
    },
  );
  if (width === 1) onOne++;
  const { applications, users } = touchedBy(scan, ofLayout, osts.length, options.application === "exe-uid");
  const loads = osts.map((ost, i) => ({
    ost,
    bytes: bytes.value(i),
    files: files[i] as number,
    applications: applications[i] as number,
    users: users[i] as number,
    squares: squares[i] as number,
    largest: largest[i] as number,
  }));
  return {
    loads,
    files: known,
    onOne,
    filesOn: (some, most) =>
      filesOn(
        layouts,
        ofLayout,
        some.map((ost) => osts.indexOf(ost)),
        most,
      ),
  };
}

/** Bytes in `width` parts; a remainder of a few bytes goes to the first of them. */
function share(
  bytes: number | bigint,
  width: number,
  take: (k: number, part: number | bigint) => void,
): void {
  if (width === 0) return;
  if (typeof bytes === "number") {
    const rest = bytes % width;
    for (let k = 0; k < width; k++) take(k, (bytes - rest) / width + (k < rest ? 1 : 0));
    return;
  }
  const parts = BigInt(width);
  for (let k = 0; k < width; k++) take(k, bytes / parts + (BigInt(k) < bytes % parts ? 1n : 0n));
}

/** Distinct applications and users of each OST. */
function touchedBy(
  { layouts, names }: Prepared["scan"],
  ofLayout: Targets["ofLayout"],
  osts: number,
  perUser: boolean,
) {
  const [applications, users] = [new Float64Array(osts), new Float64Array(osts)];
  const [seenApplications, seenUsers] = [new Codes(), new Codes()];
  const note = (seen: Codes, counts: Float64Array, target: number, one: number) => {
    if (one === 0) return;
    const before = seen.count;
    seen.of(target, one);
    if (seen.count > before) counts[target] = (counts[target] as number) + 1;
  };
  for (let i = 0; i < layouts.touched.count; i++) {
    const who = layouts.touched.low(i);
    const application = names.applicationOf(who);
    const one = perUser && application !== 0 ? who + 1 : application;
    for (const target of ofLayout[layouts.touched.high(i)] ?? []) {
      note(seenApplications, applications, target, one);
      note(seenUsers, users, target, names.userOf(who));
    }
  }
  return { applications, users };
}

/** For each of some targets the files with most bytes on it, from one pass over all files. */
function filesOn(
  layouts: Prepared["scan"]["layouts"],
  ofLayout: Targets["ofLayout"],
  wanted: readonly number[],
  most: number,
): { file: number; bytes: bigint }[][] {
  const found = new Map(wanted.map((target) => [target, [] as { file: number; bytes: bigint }[]]));
  const ofInterest = ofLayout.map((targets) => targets.some((target) => found.has(target)));
  const first = (files: readonly { file: number; bytes: bigint }[]) =>
    [...files]
      .sort((a, b) => (b.bytes > a.bytes ? 1 : b.bytes < a.bytes ? -1 : a.file - b.file))
      .slice(0, most);
  eachPage([layouts.file, layouts.layout, layouts.bytes], ([file, layout, moved], from) => {
    for (let i = 0; i < file.length; i++) {
      if (!ofInterest[layout[i] as number]) continue;
      const targets = ofLayout[layout[i] as number] as readonly number[];
      share(layouts.large.get(from + i) ?? (moved[i] as number), targets.length, (k, part) => {
        const files = found.get(targets[k] as number);
        if (files === undefined) return;
        const last = files.at(-1);
        if (last !== undefined && last.file === file[i]) last.bytes += BigInt(part);
        else {
          // Those before are complete: the least of them are forgotten.
          if (files.length === FILES_HELD) files.splice(0, FILES_HELD, ...first(files));
          files.push({ file: file[i] as number, bytes: BigInt(part) });
        }
      });
    }
  });
  return wanted.map((target) => first(found.get(target) ?? []));
}
