// Which mutants a campaign tries, and how it tells of those that break a promise.

/** Seed, first mutant and count; PLIMSOLL_FUZZ="SEED FROM COUNT" tries others, as the failures of a campaign say. */
export interface Campaign {
  readonly seed: number;
  readonly from: number;
  readonly count: number;
}

export function campaignOf(seed: number, count: number): Campaign {
  const [given = seed, from = 0, many = count] = (process.env.PLIMSOLL_FUZZ ?? "")
    .split(" ")
    .filter(Boolean)
    .map(Number);
  return { seed: given, from, count: many };
}

/** The mutants of a campaign that broke a promise, with the command that tries each again. */
export class Problems {
  readonly #lines: string[] = [];
  readonly #testFile: string;

  constructor(testFile: string) {
    this.#testFile = testFile;
  }

  add(seed: number, index: number, what: string, problem: string): void {
    const again = `PLIMSOLL_FUZZ="${seed} ${index} 1" npx vitest run ${this.#testFile}`;
    this.#lines.push(`mutant ${index} (${what}): ${problem}\n  again: ${again}`);
  }

  /** Empty when all is well; the first few otherwise, so that a failing test shows them. */
  get text(): string {
    const more = this.#lines.length - SHOWN;
    return this.#lines.slice(0, SHOWN).join("\n") + (more > 0 ? `\n… and ${more} more` : "");
  }
}

const SHOWN = 10;

/** Milliseconds of processor time of this process: unlike the clock, other programs do not slow it down. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
