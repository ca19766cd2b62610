/** Texts on a canvas that are too wide for their place. */

const shortened = new Map<string, string>();

/** Leaves out the middle of a text that is wider than `space`: the end of a path tells files apart. */
export function shorten(context: CanvasRenderingContext2D, text: string, space: number): string {
  const key = `${Math.round(space)} ${context.font} ${text}`;
  const known = shortened.get(key);
  if (known !== undefined) return known;
  let result = text;
  if (context.measureText(text).width > space) {
    let keep = text.length;
    const cut = () =>
      `${text.slice(0, Math.floor(keep * 0.3))}…${text.slice(text.length - Math.ceil(keep * 0.7))}`;
    let low = 1;
    let high = Math.min(text.length - 1, 400);
    while (low < high) {
      keep = (low + high + 1) >> 1;
      if (context.measureText(cut()).width <= space) low = keep;
      else high = keep - 1;
    }
    keep = low;
    result = cut();
  }
  if (shortened.size > 5000) shortened.clear();
  shortened.set(key, result);
  return result;
}
