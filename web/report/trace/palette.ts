/** The page's colours as numbers, read from its custom properties when the theme changes. */

type Rgb = readonly [number, number, number];

export interface Palette {
  readonly read: Rgb;
  readonly write: Rgb;
  readonly metadata: Rgb;
  readonly text: Rgb;
  readonly muted: Rgb;
  readonly grid: Rgb;
  readonly background: Rgb;
  readonly surface: Rgb;
  /** Pixels of 32 intensities, faint to full. */
  readonly readLevels: Uint32Array;
  readonly writeLevels: Uint32Array;
  /** Pixels of shares from 0 to 1, for "how busy". */
  readonly busyLevels: Uint32Array;
}

export const LEVELS = 32;

const NAMES = {
  read: ["--plot-read", "#2b6cb0"],
  write: ["--plot-write", "#dd6b20"],
  metadata: ["--plot-metadata", "#7a6f9b"],
  text: ["--text", "#1a202c"],
  muted: ["--text-muted", "#5a6475"],
  grid: ["--grid", "#e2e6ec"],
  background: ["--background", "#ffffff"],
  surface: ["--surface", "#f5f7fa"],
} as const;

/** Stops of viridis (Smith and van der Walt 2015), even for eyes that see fewer colours. */
const VIRIDIS: readonly Rgb[] = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];

/** `host` is where the properties hold; `.trace` maps the page's names to `--trace-…` with its own fallbacks. */
export function readPalette(host: HTMLElement): Palette {
  const probe = host.ownerDocument.createElement("span");
  probe.hidden = true;
  host.append(probe);
  const pixel = host.ownerDocument.createElement("canvas");
  pixel.width = 1;
  pixel.height = 1;
  const context = pixel.getContext("2d", { willReadFrequently: true });
  const colours = Object.entries(NAMES).map(([key, [name, fallback]]) => {
    probe.style.color = `var(--trace-${key}, var(${name}, ${fallback}))`;
    return [key, toRgb(context, getComputedStyle(probe).color)] as const;
  });
  // The page's own scale from little to much, when it has one.
  const style = getComputedStyle(host);
  const sequential: Rgb[] = [];
  for (let i = 0; style.getPropertyValue(`--plot-seq-${i}`).trim() !== "" && i < LEVELS; i++) {
    probe.style.color = `var(--plot-seq-${i})`;
    sequential.push(toRgb(context, getComputedStyle(probe).color));
  }
  probe.remove();
  const found = Object.fromEntries(colours) as Record<keyof typeof NAMES, Rgb>;
  // Little is near the background, much stands out, on light and on dark.
  const dark = found.background[0] + found.background[1] + found.background[2] < 384;
  const busy = sequential.length > 1 ? sequential : dark ? VIRIDIS : VIRIDIS.toReversed();
  return {
    ...found,
    readLevels: ramp(found.background, found.read),
    writeLevels: ramp(found.background, found.write),
    busyLevels: Uint32Array.from({ length: LEVELS }, (_, i) => {
      // A lane that does next to nothing looks so.
      const share = i / (LEVELS - 1);
      return toPixel(mix(found.background, along(busy, share), Math.min(1, 0.2 + 2.4 * share)));
    }),
  };
}

/** Whatever notation a colour has, painting it gives its numbers. */
function toRgb(context: CanvasRenderingContext2D | null, colour: string): Rgb {
  if (context === null) return [128, 128, 128];
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

function ramp(background: Rgb, full: Rgb): Uint32Array {
  // The faintest is still seen beside nothing at all.
  return Uint32Array.from({ length: LEVELS }, (_, i) =>
    toPixel(mix(background, full, 0.22 + (0.78 * i) / (LEVELS - 1))),
  );
}

/** The colour at a share of the way through these. */
function along(stops: readonly Rgb[], share: number): Rgb {
  const at = share * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(at));
  return mix(stops[low] as Rgb, stops[low + 1] as Rgb, at - low);
}

export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share];
}

const LITTLE_ENDIAN = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

/** As an opaque entry of an ImageData seen as 32-bit words. */
export function toPixel([red, green, blue]: Rgb): number {
  const r = Math.round(red);
  const g = Math.round(green);
  const b = Math.round(blue);
  return LITTLE_ENDIAN
    ? ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0
    : ((r << 24) | (g << 16) | (b << 8) | 255) >>> 0;
}

export function css([red, green, blue]: Rgb, alpha = 1): string {
  return `rgba(${Math.round(red)}, ${Math.round(green)}, ${Math.round(blue)}, ${alpha})`;
}
