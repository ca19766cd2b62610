/** State of a fault plan during a run. */
import { assert } from "../../../base/assert.ts";
import type { Rank, TargetId } from "../../protocol/index.ts";
import { type StorageModel, WRITE_EIO } from "../storage/index.ts";
import type { Fault } from "./faults.ts";

type Standing = "open-fails" | "open-hangs" | "sync-fails" | "sync-hangs";

export class FaultState {
  readonly #pausedUntil = new Map<Rank, number>();
  /** The input before which a process dies, and the number it has taken. */
  readonly #killAt = new Map<Rank, number>();
  readonly #inputs = new Map<Rank, number>();
  readonly #standing = new Set<string>();

  /** Arms a fault without a time. */
  arm(fault: Fault, storage: StorageModel): void {
    assert(!("at" in fault), "a fault with a time strikes then");
    if (fault.kind === "kill-at-input") this.#killAt.set(fault.rank, fault.input);
    else if (fault.kind === "full") storage.setRoom(fault.target, fault.bytes);
    else if ("target" in fault) this.#standing.add(`${fault.kind} ${fault.target}`);
  }

  /** Applies a fault at its time. Returns the process that it kills. */
  strike(fault: Fault, storage: StorageModel, now: number): Rank | undefined {
    assert("at" in fault && fault.at === now, "a fault strikes at its time");
    if (fault.kind === "kill") return fault.rank;
    if (fault.kind === "pause") {
      const before = this.#pausedUntil.get(fault.rank) ?? 0;
      this.#pausedUntil.set(fault.rank, Math.max(before, now + fault.seconds));
    } else if (fault.kind === "slow") storage.setSpeed(fault.target, fault.factor);
    else if (fault.kind === "eio") storage.setError(fault.target, WRITE_EIO);
    return undefined;
  }

  has(what: Standing, target: TargetId): boolean {
    return this.#standing.size > 0 && this.#standing.has(`${what} ${target}`);
  }

  get canPause(): boolean {
    return this.#pausedUntil.size > 0;
  }

  pausedUntil(rank: Rank): number {
    return this.#pausedUntil.get(rank) ?? 0;
  }

  /** Counts an input; true if the process dies before taking it. */
  diesNow(rank: Rank): boolean {
    if (this.#killAt.size === 0) return false;
    const inputs = (this.#inputs.get(rank) ?? 0) + 1;
    this.#inputs.set(rank, inputs);
    return inputs === this.#killAt.get(rank);
  }
}
