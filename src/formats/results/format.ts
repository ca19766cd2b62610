/** Output of storage benchmarks in the catalogue of inputs. */
import type { InputFormat } from "../input-format.ts";
import { findResultFormat } from "./index.ts";

export const results: InputFormat = {
  id: "results",
  label: "benchmark result (IOR, mdtest, IO500, fio, elbencho or DLIO)",
  recognizes: (head) => findResultFormat(new TextDecoder().decode(head)) !== undefined,
  results: true,
};
