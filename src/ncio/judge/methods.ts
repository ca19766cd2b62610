/** The methods of noncontiguous I/O: names, colours, and MPI-IO hints. */
import type { NcioCase, NcioMethod, NcioVariable, Role } from "../../model/index.ts";

interface MethodWords {
  /** In sentences. */
  readonly label: string;
  readonly role: Role;
  /** Each rank does its own I/O independently. */
  readonly individual: boolean;
  /** How a program selects it. */
  readonly how: string;
  /** ROMIO hints, without the direction suffix of `romio_cb` and similar ones. */
  readonly hints: readonly (readonly [name: string, value: string])[];
}

export const METHOD_ORDER: readonly NcioMethod[] = ["posix", "sieving", "list", "datatype", "two-phase"];
export const CASE_ORDER: readonly NcioCase[] = ["c-c", "nc-c", "c-nc", "nc-nc"];
export const VARIABLE_ORDER: readonly NcioVariable[] = ["count", "size", "spacing"];

const VIEW = "a file view (MPI_Type_vector, MPI_File_set_view)";

export const METHOD_WORDS: Readonly<Record<NcioMethod, MethodWords>> = {
  posix: {
    label: "POSIX",
    role: "before",
    individual: true,
    how: "one call per region (pwrite, pread)",
    hints: [
      ["romio_cb", "disable"],
      ["romio_ds", "disable"],
    ],
  },
  sieving: {
    label: "data sieving",
    role: "wait",
    individual: true,
    how: `${VIEW} and an independent call (MPI_File_write, MPI_File_read)`,
    hints: [
      ["romio_cb", "disable"],
      ["romio_ds", "enable"],
    ],
  },
  list: {
    label: "list I/O",
    role: "read",
    individual: true,
    how: `${VIEW} and an independent call, on PVFS2 or OrangeFS`,
    hints: [
      ["romio_cb", "disable"],
      ["romio_ds", "disable"],
      ["romio_pvfs2_listio", "enable"],
      ["romio_pvfs2_dtype", "disable"],
    ],
  },
  datatype: {
    label: "datatype I/O",
    role: "after",
    individual: true,
    how: `${VIEW} and an independent call, on PVFS2 or OrangeFS`,
    hints: [
      ["romio_cb", "disable"],
      ["romio_ds", "disable"],
      ["romio_pvfs2_dtype", "enable"],
      ["romio_pvfs2_listio", "disable"],
    ],
  },
  "two-phase": {
    label: "two phase",
    role: "write",
    individual: false,
    how: `${VIEW} and a collective call (MPI_File_write_all, MPI_File_read_all)`,
    hints: [["romio_cb", "enable"]],
  },
};

export const methodName = (method: NcioMethod): string => METHOD_WORDS[method].label;

/** `romio_cb_write=enable`, in the recommended order. */
export const hintsOf = (method: NcioMethod, direction: "write" | "read"): string[] =>
  METHOD_WORDS[method].hints.map(([name, value]) => `${name}_${direction}=${value}`);

export const CASE_WORDS: Readonly<Record<NcioCase, string>> = {
  "c-c": "contiguous in memory and in the file",
  "nc-c": "noncontiguous in memory, contiguous in the file",
  "c-nc": "contiguous in memory, noncontiguous in the file",
  "nc-nc": "noncontiguous in memory and in the file",
};

export const VARIABLE_WORDS: Readonly<
  Record<NcioVariable, { readonly label: string; readonly figure: number; readonly unit: "" | " B" }>
> = {
  count: { label: "region count", figure: 4, unit: "" },
  size: { label: "region size", figure: 5, unit: " B" },
  spacing: { label: "region spacing", figure: 6, unit: " B" },
};
