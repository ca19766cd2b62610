/** `plimsoll verify`: is every byte of a dataset what was written? */
import { CheckFailed } from "../base/errors.ts";
import { formatBytes, formatMany } from "../base/units.ts";
import { defineCommand } from "./command.ts";
import { verifyDataset, withDataset } from "../inputs/dataset.ts";

export default defineCommand({
  name: "verify",
  description:
    "Reads every block of a BP dataset and verifies the checksums in the global index. Lists damaged blocks (exit code 1). Datasets without checksums, such as those of ADIOS, are only checked for completeness.",
  arguments: [{ name: "dataset", help: "the global file NAME.bp, or one BP file", kind: "file" }],
  examples: {
    "plimsoll verify checkpoint.bp": "reads all data once",
  },
  async run({ arguments: [path = ""] }, context) {
    const report = await withDataset(path, (dataset) => verifyDataset(dataset, context));
    const { blocks, bytes, checksums, damaged } = report;
    if (context.json) context.printJson({ dataset: path, ...report, ok: damaged.length === 0 });
    else {
      for (const { variable, step, block, damage } of damaged) {
        context.out.write(`damaged: ${variable}, step ${step}, block ${block}: ${damage}\n`);
      }
      if (damaged.length === 0) {
        const how = checksums ? "all checksums match" : "complete; no checksums to verify";
        context.out.write(`${path}: ${formatMany(blocks, "block")}, ${formatBytes(bytes)}: ${how}\n`);
      }
    }
    if (damaged.length > 0)
      throw new CheckFailed(`${path}: ${formatMany(damaged.length, "block")} of ${blocks} damaged`);
  },
});
