/** Where pieces in order are kept while more come. */
export interface Spill {
  /** Adds bytes behind those before. */
  append(bytes: Uint8Array): void;
  read(offset: number, length: number): Uint8Array;
}
