/** Measured rate of each target, kept between runs. Older measurements count less. */
import { assert } from "../../../base/assert.ts";
import { mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { writeWhole } from "../../../node/durable.ts";

export interface TargetMemory {
  /** Bytes per second. */
  readonly rate: number;
  /** Best number of concurrent writers. */
  readonly slots: number;
  /** When it was last measured. */
  readonly at: string;
}

interface HistoryFile {
  readonly version: 1;
  readonly targets: Record<string, TargetMemory>;
}

/** Half-life of a measurement. */
const HALF_LIFE_HOURS = 24;
/** Weight of a new measurement against one just made. */
const NEW_WEIGHT = 0.5;
/** Older measurements are ignored. */
const FORGET_HOURS = 14 * 24;

export function defaultHistoryPath(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), ".local", "state");
  return join(state, "plimsoll", "targets.json");
}

export class History {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** History of each target, in order; undefined for unknown targets. */
  recall(targets: readonly string[], now = new Date()): (TargetMemory | undefined)[] {
    const { targets: known } = this.#read();
    return targets.map((target) => {
      const found = known[keyOf(target)];
      return found === undefined || hoursSince(found, now) > FORGET_HOURS ? undefined : found;
    });
  }

  /** Adds measurements. Never fails: the history is only a hint. */
  learn(
    measured: readonly { readonly target: string; readonly rate: number; readonly slots: number }[],
    now = new Date(),
  ): void {
    const { targets } = this.#read();
    for (const { target, rate, slots } of measured) {
      assert(rate > 0 && slots >= 1, "a rate that was measured");
      const before = targets[keyOf(target)];
      const weight =
        before === undefined ? 0 : (1 - NEW_WEIGHT) * 0.5 ** (hoursSince(before, now) / HALF_LIFE_HOURS);
      const mixed = before === undefined ? rate : weight * before.rate + (1 - weight) * rate;
      targets[keyOf(target)] = { rate: mixed, slots, at: now.toISOString() };
    }
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      const text = `${JSON.stringify({ version: 1, targets }, undefined, 1)}\n`;
      writeWhole(this.#path, text, { sync: false });
    } catch {
      // The home folder is not writable.
    }
  }

  #read(): HistoryFile {
    try {
      const file = JSON.parse(readFileSync(this.#path, "utf8")) as HistoryFile;
      if (file.version === 1 && typeof file.targets === "object") return file;
    } catch {
      // None yet, or damaged: start over.
    }
    return { version: 1, targets: {} };
  }
}

/** A target is a folder on a device: another disk mounted there is another target. */
function keyOf(target: string): string {
  const stat = statSync(target, { throwIfNoEntry: false });
  return stat === undefined ? target : `${realpathSync(target)} on ${stat.dev}`;
}

const hoursSince = ({ at }: TargetMemory, now: Date): number =>
  Math.max(0, (now.getTime() - Date.parse(at)) / 3_600_000);
