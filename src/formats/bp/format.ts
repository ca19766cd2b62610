/** BP datasets in the catalogue of inputs. */
import type { InputFormat } from "../input-format.ts";

export const bp: InputFormat = {
  id: "bp",
  label: "BP dataset",
  // What tells a BP file is at its end; its head is sizes, which other binary files may have, too.
  recognizes: (head, name) => /\.bp(\.|$)/.test(name) && head.subarray(0, 64).includes(0),
  dataset: true,
};
