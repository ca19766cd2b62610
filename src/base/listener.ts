/** What long work tells whoever started it, and how it is stopped. Every part may be left out; the context of a command has them all. */
export interface Listener {
  /** The work ends early when it aborts. */
  readonly signal?: AbortSignal;
  /** A line for people. */
  note?(message: string): void;
  progress?(work: { readonly label: string; readonly total?: number; readonly unit: string }): {
    /** Somebody sees it; an amount that takes work to find may be left out otherwise. */
    readonly isShown?: boolean;
    /** How much there will be, where it was not known before. */
    expect?(total: number): void;
    update(done: number): void;
    add(more: number): void;
    relabel?(label: string): void;
    end(): void;
  };
  /** An input, or what comes after damage in it, is left out. Whoever throws here ends the work. */
  skip?(path: string, reason: string): void;
  /** Awaited now and then, so that others get their turn. */
  yieldToEvents?(): Promise<void>;
  /** A file or folder that must not stay when the program is stopped, until it is done. */
  partialOutput?(path: string): { done(): void };
}

/** What `skip` is told. */
export interface Skipped {
  readonly path: string;
  readonly reason: string;
}
