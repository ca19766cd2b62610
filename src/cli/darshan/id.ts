/** `plimsoll darshan id`: record ids. */
import { recordId } from "../../formats/darshan/record-id.ts";
import { defineCommand } from "../command.ts";

export default defineCommand({
  name: "darshan id",
  description:
    "A record id is a 64-bit hash of the record's name: the absolute path of a file as the program gave it (with the working directory in front of relative paths), or a name such as <STDOUT> or heatmap:POSIX. The path need not exist.",
  arguments: [{ name: "path", help: "a path as recorded in a log", variadic: true, kind: "file" }],
  examples: {
    "plimsoll darshan id /scratch/run1/out.dat": "find a file in a log without names",
  },
  async run({ arguments: paths }, context) {
    const ids = paths.map((path) => ({ path, id: recordId(path).toString() }));
    if (context.json) context.printJson({ ids });
    else for (const { path, id } of ids) context.out.write(`${id}\t${path}\n`);
  },
});
