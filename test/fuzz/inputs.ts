// Damaged inputs of every kind through the commands that read them.

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Campaign, Problems } from "./campaign.ts";
import { breachOfRun, runInside } from "./contract.ts";
import { damageBytes } from "./damage-bytes.ts";
import { Random } from "./random.ts";

export interface InputKind {
  readonly name: string;
  /** Writes the sound input below a folder. */
  make(folder: string): void | Promise<void>;
  /** Whether a file of it is damaged; all are unless told. */
  readonly damages?: (path: string) => boolean;
  /** Damage of its own instead of that of any file; gives a few words on what was done. */
  readonly damage?: (folder: string, random: Random) => Promise<string>;
  /** Command lines that read it; they may write into `out`. A mutant meets them in turn, `atOnce` of them. */
  commands(folder: string, out: string): readonly (readonly string[])[];
  readonly atOnce?: number;
  /** Takes a second or so for each mutant; there are fewer of them. */
  readonly costly?: boolean;
  /** What makes the input fit for the commands; runs before them. */
  readonly before?: (folder: string, out: string) => readonly string[];
}

/** Tries the mutants of a campaign; gives those that broke a promise as text. */
export async function tryInputs(kind: InputKind, campaign: Campaign, testFile: string): Promise<string> {
  const { seed, from, count } = campaign;
  const problems = new Problems(testFile);
  const work = mkdtempSync(join(tmpdir(), "plimsoll-inputs-"));
  const [sound, folder, out] = [join(work, "sound"), join(work, "input"), join(work, "out")];
  const renew = () => {
    for (const one of [folder, out]) rmSync(one, { recursive: true, force: true });
    cpSync(sound, folder, { recursive: true });
    mkdirSync(out);
  };
  try {
    mkdirSync(sound);
    await kind.make(sound);
    const paths = filesBelow(sound).filter(kind.damages ?? (() => true));
    renew();
    for (const words of [...beforeOf(kind, folder, out), ...used(kind, campaign, folder, out)]) {
      const { code, err } = await runInside(words);
      if (code !== 0)
        problems.add(seed, from, "sound", `plimsoll ${words.join(" ")} ends with ${code}: ${err}`);
    }
    for (let index = from; index < from + count; index++) {
      const random = new Random(seed, index);
      renew();
      const what = await (kind.damage ?? damageOne)(folder, random, paths);
      for (const words of [...beforeOf(kind, folder, out), ...chosen(kind, index, folder, out)]) {
        const breach = await breachOfRun(words);
        if (breach !== undefined) problems.add(seed, index, `${kind.name}: ${what}`, breach);
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return problems.text;
}

async function damageOne(folder: string, random: Random, paths: readonly string[]): Promise<string> {
  const path = random.pick(paths);
  const isJson = /\.(nd)?json$/.test(path);
  const { bytes, what } = damageBytes(readFileSync(join(folder, path)), random, isJson);
  writeFileSync(join(folder, path), bytes);
  return `${path}: ${what}`;
}

const beforeOf = ({ before }: InputKind, folder: string, out: string): readonly (readonly string[])[] =>
  before === undefined ? [] : [before(folder, out)];

/** The commands that the mutants of a campaign meet. */
function used(kind: InputKind, { from, count }: Campaign, folder: string, out: string) {
  const indexes = Array.from({ length: count }, (_, i) => from + i);
  const lines = indexes.flatMap((index) => chosen(kind, index, folder, out));
  return new Map(lines.map((words) => [words.join(" "), words])).values();
}

function chosen(kind: InputKind, index: number, folder: string, out: string): readonly (readonly string[])[] {
  const all = kind.commands(folder, out);
  const { atOnce = all.length } = kind;
  return Array.from({ length: Math.min(atOnce, all.length) }, (_, i) => {
    return all[(index * atOnce + i) % all.length] as readonly string[];
  });
}

/** Makes an input once and copies it from then on; it is held in memory, so that nothing is left to remove. */
export function onceMade(make: (folder: string) => Promise<void>): (folder: string) => Promise<void> {
  let files: ReadonlyMap<string, Uint8Array> | undefined;
  return async (folder) => {
    if (files !== undefined) for (const [path, bytes] of files) put(folder, path, bytes);
    else {
      await make(folder);
      files = new Map(filesBelow(folder).map((path) => [path, readFileSync(join(folder, path))]));
    }
  };
}

function filesBelow(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();
}

export function put(folder: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}
