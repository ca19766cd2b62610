/** Figures as the paper has them: its number in the heading, and what it prints drawn in. */
import type { Chart, DensityChart, Figure, PublishedMark, PublishedPlace } from "../../../model/index.ts";
import { assert } from "../../../base/assert.ts";
import type { ItemFacts } from "./item.ts";
import { itemAndKey, publishedText, valueInfo, type ValueUnit } from "./values.ts";

/** A figure of the paper, which is drawn under ids that begin so. */
export interface PaperFigure<Published> {
  readonly id: string;
  /** "5(a)" */
  readonly number: string;
  /** Values that the paper prints for it, by full key: they stand in the picture as text. */
  readonly keys?: readonly string[];
  /** Those that have a place on its axis. */
  marks?(published: (key: string) => Published): readonly PublishedMark[];
  /** Those that have a place among the categories of its bars. */
  places?(published: (key: string) => Published): readonly PublishedPlace[];
}

/** The figures of the paper, and how its numbers are written. */
export interface PaperFigures<Published> {
  readonly figures: readonly PaperFigure<Published>[];
  publishedText(unit: ValueUnit, published: Published): string;
}

/** A figure of an item as the paper has it; others stay as they are. */
export function asInPaper<Published>(
  figure: Figure,
  item: ItemFacts<string, Published>,
  { figures, publishedText: text }: PaperFigures<Published>,
): Figure {
  const found = figures.find(({ id }) => figure.id.startsWith(id) && !/^\d/.test(figure.id.slice(id.length)));
  if (found === undefined) return figure;
  const infoOf = (full: string) => {
    const [id, key] = itemAndKey(full);
    const info = id === item.id ? valueInfo(item, key) : undefined;
    assert(info?.[2] !== undefined, `${figure.id}: ${full} is not a published value of its item`);
    return { info, published: info[2] };
  };
  const said = (found.keys ?? []).map((full) => {
    const { info } = infoOf(full);
    return `${info[1]} ${publishedText(info, text)}`;
  });
  const publishedOf = (full: string) => infoOf(full).published;
  const [marks, places] = [found.marks?.(publishedOf) ?? [], found.places?.(publishedOf) ?? []];
  return {
    ...figure,
    title: `Figure ${found.number}: ${lowered(figure.title)}`,
    ...(said.length === 0 ? {} : { published: said.join("; ") }),
    chart: marked(figure.chart, marks, places),
  };
}

/** Inside a heading; names such as I/O stay as they are. */
const lowered = (title: string): string =>
  /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;

function marked(chart: Chart, marks: readonly PublishedMark[], places: readonly PublishedPlace[]): Chart {
  if (chart.kind === "bars" && places.length > 0)
    return { ...chart, publishedPlaces: places, ...(marks.length > 0 && { published: marks }) };
  if (marks.length === 0) return chart;
  if (chart.kind === "density") return { ...chart, marks: [...(chart.marks ?? []), ...marks.map(acrossX)] };
  if (chart.kind === "cmf" || chart.kind === "bars" || chart.kind === "violin" || chart.kind === "strip")
    return { ...chart, published: marks };
  return chart;
}

const acrossX = ({ value, label }: PublishedMark): NonNullable<DensityChart["marks"]>[number] => ({
  axis: "x",
  value,
  label,
});
