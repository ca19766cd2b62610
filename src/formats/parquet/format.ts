/** Parquet in the catalogue of inputs. Its columns are those of a table of accesses; the database reads them. */
import type { InputFormat } from "../input-format.ts";

const MAGIC = [0x50, 0x41, 0x52, 0x31];

export const parquet: InputFormat = {
  id: "parquet",
  label: "Parquet table of accesses",
  recognizes: (head) => MAGIC.every((byte, at) => head[at] === byte),
  calls: "database",
};
