/** Nothing adapts: every rank writes at once to the file of its group. The baselines. */
import { evenLayout } from "../layout.ts";
import type { CoordinatorPolicy, FilePolicy, Policy } from "../policy.ts";

/** Lustre's limit on targets per file at the time of the paper. */
const SHARED_FILE_TARGETS = 160;

const NOTHING_MOVES: CoordinatorPolicy = { choose: () => undefined, speculateSeconds: 0 };

function fixed(name: string, targetsMax: number): Policy {
  return {
    name,
    separateIndex: false,
    offers: "never",
    slotsMax: Number.POSITIVE_INFINITY,
    reportsProgress: false,
    layout: ({ writers, targets }) => evenLayout(writers, Math.min(targets, targetsMax)),
    file: () => new AtOnce(),
    coordinator: () => NOTHING_MOVES,
  };
}

class AtOnce implements FilePolicy {
  #rate = Number.NaN;
  #bytes = 0;
  #since = Number.NaN;
  rateAt(): number {
    return this.#rate;
  }
  slots(): number {
    return Number.POSITIVE_INFINITY;
  }
  began(now: number): void {
    if (Number.isNaN(this.#since)) this.#since = now;
  }
  ended(now: number, _active: number, bytes: number): void {
    this.#bytes += bytes;
    if (now > this.#since) this.#rate = this.#bytes / (now - this.#since);
  }
  pieceBytes(): number {
    return Number.POSITIVE_INFINITY;
  }
}

/** A file per target. */
export const staticPolicy: Policy = fixed("static", Number.POSITIVE_INFINITY);

/** One shared file, striped over at most 160 targets. */
export const mpiIoPolicy: Policy = fixed("mpi-io", SHARED_FILE_TARGETS);
