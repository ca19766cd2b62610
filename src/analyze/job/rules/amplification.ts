/** Rule on MPI-IO that moves more bytes than the program asked for. */
import { formatBytes } from "../../../base/units.ts";
import { estimatedCost } from "../cost/remedies.ts";
import { defineRule, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor } from "../snippets/index.ts";
import { type Listed, spanOf, trust, worstRecords } from "./evidence.ts";
import { heaviest, known, MIB, sum } from "./measures.ts";
import { layerOf, mpiFiles } from "./per-job.ts";
import { many, times } from "./wording.ts";

const writeAmplification = defineRule({
  id: "write-amplification",
  title: "Storage moves more than the program writes",
  subject: { text: "data sieving" },
  picture: { kind: "layers" },
  meaning:
    "Below MPI-IO, far more bytes are read or written than the program requested: data sieving reads whole windows, changes the pieces and writes the windows back.",
  needs: [["MPI-IO"], ["POSIX"]],
  thresholds: {
    ratio: limit`1.5 ratio | bytes moved below MPI-IO / bytes that the program writes | Plimsoll's choice: half as much again is more than headers and edges`,
    bytes: limit`${MIB} bytes | bytes moved beyond those requested | Plimsoll's choice: less is headers`,
  },
  judge(job, limits) {
    const files = mpiFiles(job).flatMap((record) => {
      const posix = layerOf(job, record, "POSIX");
      if (posix === undefined || !(record.bytesWritten > 0)) return [];
      const moved = posix.bytesWritten + Math.max(0, known(posix.bytesRead) - known(record.bytesRead));
      const beyond = moved - record.bytesWritten;
      const much = moved >= limits.ratio * record.bytesWritten && beyond >= limits.bytes;
      // Reads at the end of a file that return nothing are sieving as well.
      const empty = !(record.reads > 0) && posix.reads >= posix.writes && posix.reads >= 1000;
      return much || empty ? [{ record, posix, moved }] : [];
    });
    if (files.length === 0) return undefined;
    const worst = heaviest(files, ({ record, moved }) => moved - record.bytesWritten);
    const asked = sum(files, ({ record }) => record.bytesWritten);
    const moved = sum(files, (file) => file.moved);
    const reads = sum(files, ({ record, posix }) => Math.max(0, known(posix.reads) - known(record.reads)));
    const together = worst.record.collectiveWrites > 0;
    const listed: Listed[] = files.map((file) => ({
      record: file.record,
      weight: file.moved - file.record.bytesWritten,
      note: `${formatBytes(file.record.bytesWritten)} requested; below ${formatBytes(file.posix.bytesWritten)} written and ${formatBytes(known(file.posix.bytesRead))} read`,
    }));
    return {
      cost: estimatedCost(
        files.flatMap((file) => {
          const remains = Math.min(1, file.record.bytesWritten / file.moved);
          // Ranks that wait for one another's locks do so in closes and views too.
          return [{ record: file.record, remains }];
        }),
        "only the bytes that the program writes, at the overall rate",
      ),
      measured: { ratio: moved / asked, bytes: moved - asked },
      statement: `Storage moves ${formatBytes(moved)} for ${formatBytes(asked)} that the program writes to ${many(files.length, "file")} through MPI-IO, ${times(moved / asked)} as much${reads > 0 ? `; ${many(reads, "read")} below ${reads === 1 ? "was" : "were"} not made by the program` : ""}.`,
      evidence: {
        numbers: [
          { label: "bytes that the program writes", value: asked, unit: "bytes" },
          {
            label: "bytes written below",
            value: sum(files, ({ posix }) => posix.bytesWritten),
            unit: "bytes",
          },
          { label: "bytes read below", value: sum(files, ({ posix }) => posix.bytesRead), unit: "bytes" },
          { label: "moved over requested", value: moved / asked, unit: "ratio" },
        ],
        ...worstRecords(listed),
        ...spanOf(listed, "write"),
      },
      action: {
        change: "Switch data sieving off for writes",
        advice: `Switch ROMIO's data sieving off for writes (romio_ds_write) and write collectively (romio_cb_write), so that ranks fill each other's holes: ${together ? "now holes in collective buffers are read first. Make the combined view of all ranks contiguous if the data layout allows it" : "now their pieces are scattered, and whole windows around them are read and written under locks"}.`,
        snippet: snippetFor(job, SNIPPETS.mpiHints, {
          hints: [
            { key: "romio_ds_write", value: "disable" },
            { key: "romio_cb_write", value: "enable" },
          ],
        }),
      },
      effect: "Storage gets only what the program writes, without reads and locks.",
      ...trust(job, ["MPI-IO", "POSIX"], "high", "both layers count the bytes of the same file"),
      claims: files.map(({ record: { fileId } }) => ({ fileId })),
    };
  },
});

export const AMPLIFICATION_RULES: readonly Rule[] = [writeAmplification];
