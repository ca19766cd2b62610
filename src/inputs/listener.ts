/** What reading tells whoever asked for it. Every part may be left out. */
export interface Listener {
  /** The reading begins: so much of it is ahead. */
  progress?(work: { readonly label: string; readonly total: number; readonly unit: string }): {
    add(more: number): void;
    end(): void;
  };
  /** An input, or what comes after damage in it, is left out. Whoever throws here ends the reading. */
  skip?(path: string, reason: string): void;
  /** Awaited now and then in long work, so that others get their turn. */
  yieldToEvents?(): Promise<void>;
}
