/**
 * Whole numbers from zero to 2^53 in 16-bit codes: small ones take one, those below 2^32 three, others five. Differences
 * of sorted times and sizes of accesses are mostly small, so columns of them take a quarter of what doubles take.
 */

/** The next two codes are a number below 2^32, low half first. */
const TWO = 0xfffe;
/** The next four codes are a number. */
const FOUR = 0xffff;
const CODE = 0x10000;
const WORD = 0x100000000;

/** Codes that a number takes at most. */
export const CODES_MAX = 5;

/** Writes one number at `at`; returns the place after it. */
function packLarge(value: number, codes: Uint16Array, at: number): number {
  if (value < WORD) {
    codes[at] = TWO;
    codes[at + 1] = value;
    codes[at + 2] = value / CODE;
    return at + 3;
  }
  const high = Math.floor(value / WORD);
  const low = value - high * WORD;
  codes[at] = FOUR;
  codes[at + 1] = low;
  codes[at + 2] = low / CODE;
  codes[at + 3] = high;
  codes[at + 4] = high / CODE;
  return at + CODES_MAX;
}

/** Writes values [from, to) to `codes` from `at` on; returns the place after them. */
export function packIntegers(
  values: Float64Array,
  from: number,
  to: number,
  codes: Uint16Array,
  at: number,
): number {
  let place = at;
  for (let i = from; i < to; i++) {
    const value = values[i] as number;
    if (value < TWO) codes[place++] = value;
    else place = packLarge(value, codes, place);
  }
  return place;
}

/** The same for the step from each value to the next, which does not fall; the first step is from `before`. */
export function packSteps(
  values: Float64Array,
  from: number,
  to: number,
  before: number,
  codes: Uint16Array,
  at: number,
): number {
  let place = at;
  let last = before;
  for (let i = from; i < to; i++) {
    const value = values[i] as number;
    const step = value - last;
    last = value;
    if (step < TWO) codes[place++] = step;
    else place = packLarge(step, codes, place);
  }
  return place;
}

/** The same for `values[i] - others[i]`. */
export function packDifferences(
  values: Float64Array,
  others: Float64Array,
  from: number,
  to: number,
  codes: Uint16Array,
  at: number,
): number {
  let place = at;
  for (let i = from; i < to; i++) {
    const difference = (values[i] as number) - (others[i] as number);
    if (difference < TWO) codes[place++] = difference;
    else place = packLarge(difference, codes, place);
  }
  return place;
}

/** Reads values [from, to) from `codes` at `at`; returns the place after them. */
export function unpackIntegers(
  codes: Uint16Array,
  at: number,
  values: Float64Array | Uint32Array,
  from: number,
  to: number,
): number {
  let place = at;
  for (let i = from; i < to; i++) {
    const code = codes[place++] as number;
    if (code < TWO) values[i] = code;
    else {
      let value = (codes[place] as number) + CODE * (codes[place + 1] as number);
      place += 2;
      if (code === FOUR) {
        value += WORD * ((codes[place] as number) + CODE * (codes[place + 1] as number));
        place += 2;
      }
      values[i] = value;
    }
  }
  return place;
}

/** The same for steps, summed up from `before` on. */
export function unpackSteps(
  codes: Uint16Array,
  at: number,
  values: Float64Array,
  from: number,
  to: number,
  before: number,
): number {
  let place = at;
  let sum = before;
  for (let i = from; i < to; i++) {
    const code = codes[place++] as number;
    if (code < TWO) sum += code;
    else {
      sum += (codes[place] as number) + CODE * (codes[place + 1] as number);
      place += 2;
      if (code === FOUR) {
        sum += WORD * ((codes[place] as number) + CODE * (codes[place + 1] as number));
        place += 2;
      }
    }
    values[i] = sum;
  }
  return place;
}
