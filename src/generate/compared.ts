/** A planted value and the published one. */
export interface Compared {
  readonly item: string;
  readonly key: string;
  /** As in the paper. */
  readonly published: number;
  /** The published value at this scale; NaN if the scales of its parts differ. */
  readonly expected: number;
  /** In the same unit as `expected`: a share where the paper gives a share. */
  readonly planted: number;
  /** Accepted range; none for values that are only reported. */
  readonly low?: number;
  readonly high?: number;
  readonly within?: boolean;
}

/** The line with the range that is accepted, if any. */
export function withRange<Line extends Compared>(
  line: Line,
  range: readonly [number, number] | undefined,
): Line {
  if (range === undefined) return line;
  const [low, high] = range;
  return { ...line, low, high, within: line.planted >= low && line.planted <= high };
}

export const outsideCount = (lines: readonly Compared[]): number =>
  lines.filter(({ within }) => within === false).length;
