/** Slurm's accounting in the catalogue of inputs. */
import type { InputFormat } from "../input-format.ts";
import { recognizeSlurm } from "./index.ts";

export const slurm = {
  id: "slurm",
  label: "Slurm job list (sacct)",
  recognizes: (head) => recognizeSlurm(head) !== undefined,
  rows: { alone: true },
} as const satisfies InputFormat;
