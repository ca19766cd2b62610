/** Which rows of a site one of several processes writes: contiguous stretches of days, jobs and minutes. */

/** Whether it writes what is at `place` of `total`. */
export type Share = (place: number, total: number) => boolean;

export const WHOLE: Share = () => true;
/** Draws everything and writes nothing, for answers. */
export const NOTHING: Share = () => false;

/** Slice `index` of `of`, from 1. */
export const shareOf =
  ({ index, of }: { readonly index: number; readonly of: number }): Share =>
  (place, total) =>
    Math.floor((place * of) / total) === index - 1;
