/** Pictures of causes. A new kind is a module beside this, its options in rule.ts and a line here. */
import type { CulpritChart, Figure, Finding } from "../../../model/index.ts";
import type { Job } from "../job.ts";
import type { Picture } from "../rule.ts";
import { files } from "./files.ts";
import { layers } from "./layers.ts";
import { numbers } from "./numbers.ts";
import { RULES } from "../rules/index.ts";
import { type Drawn, figureOf } from "./picture.ts";
import { ranks } from "./ranks.ts";
import { sizes } from "./sizes.ts";
import { targets } from "./targets.ts";
import { time } from "./time.ts";
import { timeline } from "./timeline.ts";

function draw(job: Job, finding: Finding, picture: Picture): Drawn | undefined {
  switch (picture.kind) {
    case "ranks":
      return ranks(job, finding);
    case "layers":
      return layers(job, finding);
    case "timeline":
      return timeline(job, finding);
    case "targets":
      return targets(job, picture.by);
    case "files":
      return files(job, finding, picture.by);
    case "time":
      return time(job, picture.of);
    case "sizes":
      return sizes(job, finding, picture);
    case "numbers":
      return numbers(job, finding, picture);
  }
}

/** Where the I/O time of a job goes, with nothing marked: beside the headline where it names no cause. */
export function timeFigure(job: Job): Figure | undefined {
  const drawn = time(job);
  if (drawn === undefined) return undefined;
  const chart = { ...drawn.chart, marked: [], markLabel: "" };
  return figureOf({ id: "time", severity: "info" }, { ...drawn, chart });
}

/** Who waits for a slow target. Not the other way round: a target that no rule found slow is not to be blamed for a slow rank. */
export function secondFigure(job: Job, finding: Finding): Figure | undefined {
  if (PICTURES.get(finding.id)?.kind !== "targets") return undefined;
  const drawn = ranks(job, finding);
  return drawn === undefined || !standsOut(drawn.chart)
    ? undefined
    : { ...figureOf(finding, drawn), id: `cause-${finding.id}-ranks` };
}

/** The first that is marked differs from all others, or from the median, by a factor of two. */
function standsOut({ items, marked, line }: Pick<CulpritChart, "items" | "marked" | "line">): boolean {
  const culprit = items[marked[0] ?? -1]?.value ?? 0;
  const others = items.filter((_, at) => !marked.includes(at)).map(({ value }) => value);
  const most = others.reduce((high, value) => Math.max(high, value), 0);
  return culprit >= 2 * most || (line !== undefined && 2 * culprit <= Math.min(line.value, most));
}

const PICTURES: ReadonlyMap<string, Picture | undefined> = new Map(
  RULES.map(({ id, picture }) => [id, picture]),
);

/** Opens and stats are metadata. */
const metadataOf = (picture: Picture) =>
  picture.kind === "files" && (picture.by === "opens" || picture.by === "stats") ? "metadata" : undefined;

/** The finding with its figure. Where a job lacks what its rule would draw, the times by kind of call stand there. */
export function pictured(job: Job, finding: Finding): Finding {
  const picture = PICTURES.get(finding.id);
  if (finding.severity === "info" || picture === undefined) return finding;
  const drawn = draw(job, finding, picture) ?? time(job, metadataOf(picture));
  return drawn === undefined ? finding : { ...finding, figure: figureOf(finding, drawn) };
}
