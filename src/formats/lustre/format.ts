/** Lustre's statistics files in the catalogue of inputs. */
import type { InputFormat } from "../input-format.ts";
import { recognizeLustre } from "./index.ts";

export const lustre = {
  id: "lustre",
  label: "dump of Lustre counters",
  recognizes: (head, name) => recognizeLustre(head, name) !== undefined,
  series: true,
} as const satisfies InputFormat;
