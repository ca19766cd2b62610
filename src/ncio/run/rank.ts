/** Main loop of every rank of a benchmark run: the same points in the same order, each measured and then verified. */
import { createHash } from "node:crypto";
import type { Communicator } from "../../launch/communicator.ts";
import { dataBytes, endOf, type Pattern, patternOf, type RankAccess } from "../pattern/index.ts";
import { holesAfter } from "../method/index.ts";
import { fillContent } from "./content.ts";
import type { Performer } from "./performer.ts";
import { describePoint, type PointPlan, type RunPlan } from "./plan.ts";
import type { RankTurn, Turn } from "./summary.ts";
import { clearBuffer, fillRegions, wrongInFile, wrongInMemory } from "./verify.ts";

/** Events from rank 0. */
export type RunEvent =
  | { readonly kind: "turn"; readonly point: number }
  | { readonly kind: "point"; readonly point: number; readonly result: PointResult };

export interface PointResult {
  readonly turns: readonly Turn[];
  /** Requested bytes per rank in a turn. */
  readonly bytesPerRank: readonly number[];
  readonly known: { readonly requests: boolean; readonly messages: boolean; readonly movedBytes: boolean };
  readonly verified: boolean;
  readonly fallback?: string;
}

interface RankResult {
  readonly turns: readonly RankTurn[];
  readonly bytes: number;
  readonly known: PointResult["known"];
  readonly wrong?: string;
  readonly fallback?: string;
}

const seconds = (): number => Number(process.hrtime.bigint()) / 1e9;

/** Collective: with an external launcher each rank has its own command line; all must be equal. */
export async function checkAgreement(communicator: Communicator, setting: unknown): Promise<void> {
  const mine = createHash("sha256").update(JSON.stringify(setting)).digest();
  const all = await communicator.gather(mine, 0);
  const other = all?.findIndex((hash) => Buffer.compare(hash, mine) !== 0) ?? -1;
  if (other >= 0)
    communicator.abort(
      `ranks 0 and ${other} disagree on the parameters of the run; start all with the same command line`,
    );
  await communicator.barrier();
}

export async function runPoints(
  communicator: Communicator,
  plan: RunPlan,
  performer: Performer,
  tell: (event: RunEvent) => void,
): Promise<void> {
  for (const [index, point] of plan.points.entries()) {
    const run = new PointRun(communicator, plan, performer, point, index);
    const result = await run.measure(() => tell({ kind: "turn", point: index }));
    if (result !== undefined) tell({ kind: "point", point: index, result });
  }
}

/** Distance between the contents of two points: turns of different points never look the same. */
const SALTS = 4096;

class PointRun {
  readonly #communicator: Communicator;
  readonly #plan: RunPlan;
  readonly #performer: Performer;
  readonly #point: PointPlan;
  readonly #pattern: Pattern;
  readonly #access: RankAccess;
  readonly #buffer: Uint8Array;
  readonly #salt: number;

  constructor(
    communicator: Communicator,
    plan: RunPlan,
    performer: Performer,
    point: PointPlan,
    index: number,
  ) {
    this.#communicator = communicator;
    this.#plan = plan;
    this.#performer = performer;
    this.#point = point;
    this.#pattern = patternOf(point.pattern);
    this.#access = this.#pattern.access(communicator.rank);
    this.#buffer = new Uint8Array(endOf(this.#access.memory));
    this.#salt = (index + 1) * SALTS;
  }

  /** Returns the result of all ranks on rank 0. */
  async measure(onTurn: () => void): Promise<PointResult | undefined> {
    const { warmUps, repeats, pauseSeconds } = this.#plan.measuring;
    const { direction } = this.#point;
    await this.#performer.create(this.#pattern.fileBytes);
    if (direction === "read") await this.#fillFile();
    await this.#performer.prepare({
      method: this.#point.method,
      direction,
      access: this.#access,
      buffer: this.#buffer,
    });
    const turns: RankTurn[] = [];
    let known: PointResult["known"] = { requests: true, messages: true, movedBytes: true };
    let fallback: string | undefined;
    for (let turn = 0; turn < warmUps + repeats; turn++) {
      if (turn > warmUps && pauseSeconds > 0)
        await new Promise((resolve) => setTimeout(resolve, pauseSeconds * 1000));
      if (direction === "write") fillRegions(this.#buffer, this.#access, this.#salt + turn);
      else if (turn === warmUps + repeats - 1) clearBuffer(this.#buffer);
      await this.#communicator.barrier();
      const began = seconds();
      await this.#delayLastRank();
      const ownBegan = seconds();
      const done = await this.#performer.perform();
      const endSeconds = seconds() - began;
      known = {
        requests: done.requests !== undefined,
        messages: done.messages !== undefined,
        movedBytes: done.movedBytes !== undefined,
      };
      fallback = done.fallback;
      if (turn >= warmUps)
        turns.push({
          endSeconds,
          lateSeconds: ownBegan - began,
          syncSeconds: done.syncSeconds,
          requests: done.requests ?? 0,
          messages: done.messages ?? 0,
          movedBytes: done.movedBytes ?? 0,
        });
      if (this.#communicator.rank === 0) onTurn();
    }
    const wrong = this.#checks ? await this.#findWrong(this.#salt + warmUps + repeats - 1) : undefined;
    await this.#performer.remove();
    return this.#gathered({
      turns,
      bytes: dataBytes(this.#access.file),
      known,
      ...(wrong !== undefined && { wrong }),
      ...(fallback !== undefined && { fallback }),
    });
  }

  /** Simulates longer computation on the last rank. */
  async #delayLastRank(): Promise<void> {
    const { lateSeconds } = this.#plan.measuring;
    const { rank, size } = this.#communicator;
    if (lateSeconds > 0 && rank === size - 1)
      await new Promise((resolve) => setTimeout(resolve, lateSeconds * 1000));
  }

  get #checks(): boolean {
    return this.#plan.measuring.verify && this.#performer.keeps;
  }

  /** Before reads: fills the whole file with content, including holes; each rank writes its share. */
  async #fillFile(): Promise<void> {
    const file = this.#performer.plain();
    const { from, to } = this.#share();
    const chunk = new Uint8Array(Math.min(1 << 20, Math.max(0, to - from)));
    for (let at = from; at < to; at += chunk.length) {
      const bytes = chunk.subarray(0, Math.min(chunk.length, to - at));
      fillContent(bytes, 0, bytes.length, at, this.#salt);
      await file.write(at, bytes);
    }
    await file.sync();
    await this.#communicator.barrier();
  }

  #share(): { from: number; to: number } {
    const { rank, size } = this.#communicator;
    // Whole MiB, so that two ranks do not write the same page.
    const step = Math.ceil(this.#pattern.fileBytes / size / 2 ** 20) * 2 ** 20;
    const end = this.#pattern.fileBytes;
    return { from: Math.min(end, rank * step), to: Math.min(end, (rank + 1) * step) };
  }

  async #findWrong(salt: number): Promise<string | undefined> {
    await this.#communicator.barrier();
    if (this.#point.direction === "read") return wrongInMemory(this.#buffer, this.#access, this.#salt);
    return wrongInFile(this.#performer.plain(), {
      pattern: this.#pattern,
      salt,
      ...this.#share(),
      holesAreZero: holesAfter(this.#point.method).newFile === "zero",
    });
  }

  async #gathered(mine: RankResult): Promise<PointResult | undefined> {
    const parts = await this.#communicator.gather(Buffer.from(JSON.stringify(mine)), 0);
    if (parts === undefined) return undefined;
    const ranks = parts.map((part) => JSON.parse(Buffer.from(part).toString()) as RankResult);
    const wrong = ranks.findIndex((rank) => rank.wrong !== undefined);
    if (wrong >= 0)
      this.#communicator.abort(
        `${describePoint(this.#point)}: ${ranks[wrong]?.wrong}; storage or method returned wrong data`,
      );
    const [first] = ranks as [RankResult];
    return {
      turns: first.turns.map((_, turn) => ranks.map((rank) => rank.turns[turn] as RankTurn)),
      bytesPerRank: ranks.map(({ bytes }) => bytes),
      known: first.known,
      verified: this.#checks,
      ...(first.fallback !== undefined && { fallback: first.fallback }),
    };
  }
}
