/** We are wrong: a promise our own code makes did not hold. */
export class AssertionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AssertionError";
  }
}

/** Stops the program when a promise of our own code does not hold. Never for bad input. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
