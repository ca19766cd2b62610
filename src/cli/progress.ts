/** One line on a terminal's stderr: how much is done, how fast, how long still. */

import { formatCount } from "../base/units.ts";
import type { Io } from "./io.ts";

export interface ProgressOptions {
  readonly label: string;
  /** Left out where the end is not known. */
  readonly total?: number;
  /** "bytes" shows KiB, MiB, …; any other word follows the number. */
  readonly unit: string;
}

export interface Progress {
  readonly isShown: boolean;
  /** So much is done in all. Cheap enough to call often. */
  update(done: number): void;
  /** So much more is done. */
  add(more: number): void;
  /** The end is known now: this much in all. */
  expect(total: number): void;
  /** Other words before the numbers, from now on. */
  relabel?(label: string): void;
  end(): void;
}

export const NO_PROGRESS: Progress = { isShown: false, update() {}, add() {}, expect() {}, end() {} };

const SHOW_AFTER_MS = 2000;
const REDRAW_MS = 100;

export class ProgressBar implements Progress {
  readonly isShown = true;
  readonly #io: Io;
  #options: ProgressOptions;
  readonly #beganMs: number;
  #done = 0;
  #drawnMs: number;
  #visible = false;

  constructor(io: Io, options: ProgressOptions) {
    this.#io = io;
    this.#options = options;
    this.#beganMs = io.now();
    this.#drawnMs = this.#beganMs + SHOW_AFTER_MS - REDRAW_MS;
  }

  update(done: number): void {
    this.#done = done;
    const now = this.#io.now();
    if (now - this.#drawnMs < REDRAW_MS) return;
    this.#drawnMs = now;
    this.#visible = true;
    const text = progressLine(this.#options, done, (now - this.#beganMs) / 1000, this.#io.stderr.columns - 1);
    this.#io.stderr.write(`\r\x1b[2K${text}`);
  }

  add(more: number): void {
    this.update(this.#done + more);
  }

  expect(total: number): void {
    this.#options = { ...this.#options, total };
  }

  relabel(label: string): void {
    this.#options = { ...this.#options, label };
  }

  /** Takes the line away, so that a message can be printed; the next update draws it again. */
  clear(): void {
    if (this.#visible) this.#io.stderr.write("\r\x1b[2K");
    this.#visible = false;
  }

  end(): void {
    this.clear();
    this.#drawnMs = Infinity;
  }
}

const BAR_WIDTH = 24;

function progressLine(
  { label, total, unit }: ProgressOptions,
  done: number,
  seconds: number,
  columns: number,
): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const parts = [label];
  if (total !== undefined && total > 0) {
    const share = Math.min(1, done / total);
    const filled = Math.round(share * BAR_WIDTH);
    parts.push(`[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}]`, `${Math.floor(share * 100)}%`);
  }
  parts.push(amount(done, unit), `${amount(rate, unit)}/s`);
  if (total !== undefined && rate > 0) parts.push(`${duration((total - done) / rate)} left`);
  return parts.join("  ").slice(0, columns);
}

function amount(value: number, unit: string): string {
  if (unit !== "bytes") return `${formatCount(value)} ${unit}`;
  let power = 0;
  while (value >= 1024 && power < 5) {
    value /= 1024;
    power++;
  }
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${["B", "KiB", "MiB", "GiB", "TiB", "PiB"][power]}`;
}

function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
