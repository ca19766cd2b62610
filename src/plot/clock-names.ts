/** Which of many clock times are written under an axis: round ones, six to eight of them, level; else every second, third… */

/** Minutes between two that are written: steps of a clock. */
const STEPS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440];
const NAMES_MAX = 8;
/** Fewer names have room, or are better read one by one. */
const MANY = 16;

const CLOCK = /(?:^|[ T])(\d{2}):(\d{2})$/;

/** Indices to write; undefined where the names are no times, or few. */
export function roundTimes(names: readonly string[], fitting: number): number[] | undefined {
  if (names.length <= MANY) return undefined;
  const minutes: number[] = [];
  for (const name of names) {
    const match = CLOCK.exec(name);
    if (match === null) return undefined;
    minutes.push(60 * Number(match[1]) + Number(match[2]));
  }
  const most = Math.max(2, Math.min(NAMES_MAX, fitting));
  for (const step of STEPS) {
    const round = minutes.flatMap((minute, at) => (minute % step === 0 ? [at] : []));
    if (round.length > 0 && round.length <= most) return round;
  }
  const every = Math.ceil(minutes.length / most);
  return minutes.flatMap((_, at) => (at % every === 0 ? [at] : []));
}
