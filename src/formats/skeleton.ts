/**
 * Copy me to start a format: a folder of its own, this file as `format.ts`, and one line in `catalogue.ts`. It is the
 * null format: it recognises nothing but its own name and adds nothing to the tables.
 */
import { FormatError } from "../base/errors.ts";
import type { Format } from "./format.ts";

export const skeleton: Format = {
  id: "skeleton",
  label: "nothing",
  recognizes: (_head, name) => name.endsWith(".skeleton"),
  read(source) {
    if (source.byteLength > 0) {
      throw new FormatError(
        source.name,
        { offset: 0 },
        `expected an empty file, found ${source.byteLength} bytes`,
      );
    }
  },
};
