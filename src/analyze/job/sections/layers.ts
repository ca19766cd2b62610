import { type Section, tableColumns } from "../../../model/index.ts";
import type { ReportInput } from "../input.ts";
import type { Job } from "../job.ts";
import { LAYER_ORDER, layerName, layerTimes } from "../layer-times.ts";
import { sumOf } from "../records.ts";

export function layers({ job }: ReportInput): Section {
  const times = new Map(layerTimes(job).map((one) => [one.layer, one]));
  const present = LAYER_ORDER.filter((layer) => job.layer(layer).length > 0);
  const absent = (["POSIX", "MPI-IO", "STDIO"] as const).filter((layer) => !present.includes(layer));
  return {
    id: "layers",
    title: "Layers",
    intro:
      "From the application down: HDF5 and PnetCDF call MPI-IO, MPI-IO calls POSIX (or DFS). One write of the application appears in every layer that it passes through, so rows are views of the same data: never add them.",
    detail: true,
    blocks: [
      {
        kind: "table",
        id: "layers",
        caption: `Layers with data${absent.length > 0 ? `; not recorded or not used: ${absent.join(", ")}` : ""}.`,
        columns: tableColumns`
          layer | Layer | text | Module of the log.
          files | Files | files | Files (or datasets, variables) with a record.
          shared | Shared by all ranks | files | Records reduced over all ranks.
          read | Read | bytes | BYTES_READ.
          written | Written | bytes | BYTES_WRITTEN.
          reads | Reads | calls | Read calls of every kind.
          writes | Writes | calls | Write calls of every kind.
          collective | Collective | share | Collective calls / all reads and writes; MPI-IO and PnetCDF only.
          average | Time, average rank | seconds | Read + write + metadata time / ranks.
          slowest | Time, slowest rank | seconds | J06: slowest rank in files of its own + slowest rank of each shared file.
        `,
        rows: present.map((layer) => {
          const records = job.layer(layer);
          const sum = (value: Parameters<typeof sumOf>[1]) => known(sumOf(records, value));
          const time = times.get(layer);
          return [
            layerName(layer),
            records.length,
            records.filter(({ shared }) => shared).length,
            sum(({ bytesRead }) => bytesRead),
            sum(({ bytesWritten }) => bytesWritten),
            sum(({ reads }) => reads),
            sum(({ writes }) => writes),
            collectiveShare(job, layer),
            known(time?.average ?? Number.NaN),
            known(time?.slowest ?? Number.NaN),
          ];
        }),
      },
    ],
  };
}

export const known = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** Of layers that know no collective calls it says so, which is not the same as "not recorded". */
function collectiveShare(job: Job, layer: string): number | string | null {
  if (!/^(MPI-IO|PNETCDF_VAR)$/.test(layer)) return "-";
  const records = job.layer(layer);
  const collective =
    sumOf(records, ({ collectiveReads }) => collectiveReads) +
    sumOf(records, ({ collectiveWrites }) => collectiveWrites);
  const all = sumOf(records, ({ reads }) => reads) + sumOf(records, ({ writes }) => writes);
  return all > 0 ? known(collective / all) : null;
}
