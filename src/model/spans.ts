/**
 * Spans of an application: what its own code says that it does, such as a training step or the loading of a batch. They come
 * with the calls of an input that has them, block by block.
 */

/** What a span is called: the part of the program, and what it does there. */
export interface SpanName {
  readonly category: string;
  readonly name: string;
}

/** Columns of some spans. Arrays may be longer than `count`, and are valid only until `CallSink.spans` returns. */
export interface SpanBlock {
  readonly count: number;
  /** On the clock of the calls. As recorded: an end may lie before its start. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** What `CallSink.process` gave. */
  readonly process: Uint32Array;
  /** Id of the thread. */
  readonly thread: Float64Array;
  /** Index into `names`, which only grows from block to block. */
  readonly name: Uint32Array;
  readonly names: readonly SpanName[];
}
