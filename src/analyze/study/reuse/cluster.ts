/** Files in three clusters: k-means on (log10(1 + R), log10(1 + W)), begun at three corners, labelled by corner. */
import type { Queryable } from "../../../model/index.ts";

const ROUNDS_MAX = 200;
const POINTS_MAX = 100_000;

/** Corner at the lower right: read; at the upper left: written; at the upper right: both. */
const LABELS = [1, -1, 0] as const;

type Point = readonly [x: number, y: number];

/** The three centres, in the order of LABELS. A cluster that loses all its points stays where it is. */
export function threeCentres(x: Float64Array, y: Float64Array): Point[] {
  const [left, right] = extent(x);
  const [low, high] = extent(y);
  let centres: Point[] = [
    [right, low],
    [left, high],
    [right, high],
  ];
  const owner = new Int8Array(x.length).fill(-1);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const sums = centres.map(() => [0, 0, 0] as [number, number, number]);
    let moved = 0;
    for (let i = 0; i < x.length; i++) {
      const at = [x[i] as number, y[i] as number] as const;
      const best = nearest(at, centres);
      if (best !== owner[i]) moved++;
      owner[i] = best;
      const into = sums[best] as [number, number, number];
      into[0] += at[0];
      into[1] += at[1];
      into[2]++;
    }
    if (moved === 0) break;
    centres = sums.map(([sx, sy, n], k) => (n === 0 ? (centres[k] as Point) : [sx / n, sy / n]));
  }
  return centres;
}

function nearest([x, y]: Point, centres: readonly Point[]): number {
  let best = 0;
  let least = Infinity;
  centres.forEach(([cx, cy], k) => {
    const distance = (x - cx) ** 2 + (y - cy) ** 2;
    if (distance < least) {
      least = distance;
      best = k;
    }
  });
  return best;
}

function extent(values: Float64Array): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

const X = "log10(1 + cast(class_r as double))";
const Y = "log10(1 + cast(class_w as double))";

/** The class of a file as SQL over a relation of files with their bytes. */
export async function clusterSql(db: Queryable, files: string): Promise<string> {
  const [{ n } = { n: 0 }] = await db.rows(`select count(*) as n from ${files} where d is not null`);
  // A hundred thousand points find the same centres as ten million.
  const every = Math.max(1, Math.ceil(Number(n) / POINTS_MAX));
  const where = every === 1 ? "true" : `hash(file_no) % ${every} = 0`;
  const { x, y } = await db.columns(
    `select ${X} as x, ${Y} as y from ${files} where d is not null and ${where} order by file_no`,
  );
  if (x === undefined || y === undefined || x.length === 0) return "cast(null as integer)";
  const [read, written, both] = threeCentres(x, y).map(
    ([cx, cy]) => `(pow(${X} - ${cx}, 2) + pow(${Y} - ${cy}, 2))`,
  ) as [string, string, string];
  return `case when d is null then null when ${read} <= ${written} and ${read} <= ${both} then ${LABELS[0]}
    when ${written} <= ${both} then ${LABELS[1]} else ${LABELS[2]} end`;
}
