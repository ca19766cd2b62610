/**
 * A row whose free texts hold the delimiter has too many cells, since sacct escapes nothing. The columns with a
 * recognisable content say where they belong.
 */
import { isKnownState, jobIdParts, stateOf } from "./job.ts";
import { durationSeconds, timeOf, zoneOf, type Zone } from "./times.ts";

type Check = (cell: string) => boolean;

const UTC = zoneOf("UTC") as Zone;
const isTime: Check = (cell) => timeOf(cell, UTC) !== null;
const isWhole: Check = (cell) => /^\d*$/.test(cell);
const isExit: Check = (cell) => /^(\d+:\d+)?$/.test(cell);
const isId: Check = (cell) => jobIdParts(cell) !== undefined;
const isWord: Check = (cell) => /^\S*$/.test(cell);
const isTres: Check = (cell) => /^$|^[\w/:.-]+=[^,=]*(,[\w/:.-]+=[^,=]*)*$/.test(cell);

const CHECKS: Readonly<Record<string, Check>> = {
  jobid: isId,
  jobidraw: isId,
  user: isWord,
  group: isWord,
  account: isWord,
  partition: isWord,
  qos: isWord,
  cluster: isWord,
  uid: isWhole,
  gid: isWhole,
  state: (cell) => isKnownState(stateOf(cell).state),
  exitcode: isExit,
  derivedexitcode: isExit,
  submit: isTime,
  eligible: isTime,
  start: isTime,
  end: isTime,
  elapsed: (cell) => cell === "" || durationSeconds(cell) !== undefined,
  elapsedraw: isWhole,
  nnodes: isWhole,
  ncpus: isWhole,
  ntasks: isWhole,
  alloctres: isTres,
  reqtres: isTres,
  nodelist: (cell) => cell === "None assigned" || isWord(cell),
};

/** Texts that people choose; only they can hold a delimiter. */
const FREE = new Set([
  "jobname",
  "comment",
  "admincomment",
  "systemcomment",
  "workdir",
  "submitline",
  "extra",
]);

/** More would be a row of something else, and the search grows with every cell. */
const EXTRA_MAX = 12;

/**
 * The cells of the columns, with those of free texts joined again; undefined when no way or more than one way fits.
 * Ways that differ only in where one free text ends and its neighbour begins are one: the first is taken.
 */
export function alignCells(
  cells: readonly string[],
  columns: readonly string[],
  delimiter: string,
): string[] | undefined {
  const extra = cells.length - columns.length;
  if (extra < 0 || extra > EXTRA_MAX) return undefined;
  const ways: string[][] = [];
  const take = (column: number, cell: number, left: number, found: string[]): void => {
    if (ways.length > 64) return;
    const name = columns[column];
    if (name === undefined) {
      if (left === 0) ways.push(found);
      return;
    }
    const most = FREE.has(name) ? left : 0;
    for (let more = 0; more <= most; more++) {
      const text = cells.slice(cell, cell + more + 1).join(delimiter);
      if (CHECKS[name]?.(text) === false) continue;
      take(column + 1, cell + more + 1, left - more, [...found, text]);
    }
  };
  take(0, 0, extra, []);
  const [first] = ways;
  if (first === undefined) return undefined;
  const fixed = (way: readonly string[]) => way.filter((_, i) => !FREE.has(columns[i] as string)).join("\n");
  return ways.every((way) => fixed(way) === fixed(first)) ? first : undefined;
}
