/** What the pictures of causes have in common. */
import type { CulpritChart, Figure, Finding } from "../../../model/index.ts";

/** What a picture may know of the finding that it stands beside. */
export type Evident = Pick<Finding, "evidence" | "threshold">;

/** A maker of them returns undefined where the job does not have what would be drawn. */
export interface Drawn {
  readonly title: string;
  readonly caption: string;
  readonly summary: string;
  readonly definition: string;
  readonly chart: Omit<CulpritChart, "kind" | "severity">;
}

export const figureOf = (
  { id, severity }: Pick<Finding, "id" | "severity">,
  { chart, ...words }: Drawn,
): Figure => ({
  id: `cause-${id}`,
  ...words,
  options: { finding: id },
  chart: { kind: "culprit", severity: severity === "high" ? "high" : "warn", ...chart },
});
