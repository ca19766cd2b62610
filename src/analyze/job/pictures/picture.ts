/** What the pictures of causes have in common. */
import type { CulpritChart, Figure, Finding } from "../../../model/index.ts";
import type { Job } from "../job.ts";

/** What a picture may know of the finding that it stands beside. */
export type Evident = Pick<Finding, "id" | "severity" | "evidence" | "threshold">;

/** Undefined where the job does not have what would be drawn. */
export type PictureMaker = (job: Job, finding: Evident) => Drawn | undefined;

interface Drawn {
  readonly title: string;
  readonly caption: string;
  readonly summary: string;
  readonly definition: string;
  readonly chart: Omit<CulpritChart, "kind" | "severity">;
}

export const figureOf = ({ id, severity }: Evident, { chart, ...words }: Drawn): Figure => ({
  id: `cause-${id}`,
  ...words,
  options: { finding: id },
  chart: { kind: "culprit", severity: severity === "high" ? "high" : "warn", ...chart },
});

/** Where ids or texts of a rule name a direction. */
export function wayOf(job: Job, id: string): "read" | "write" {
  if (/read/.test(id)) return "read";
  if (/writ/.test(id)) return "write";
  return (job.io.writeSeconds || 0) >= (job.io.readSeconds || 0) ? "write" : "read";
}
