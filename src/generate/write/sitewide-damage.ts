/** Writes the damage pack of samples, and what must become of each. */
import { dirname, join } from "node:path";
import { damagePack } from "../sitewide/index.ts";
import { writeAnswers } from "./answers.ts";
import { makeFolder } from "../../node/folders.ts";
import { writeFile } from "../../node/write-file.ts";

/** Gives the number of cases. */
export function writeDamage(folder: string): number {
  const pack = damagePack();
  for (const { files } of pack) {
    for (const { path, bytes } of files) {
      const to = join(folder, path);
      makeFolder(dirname(to));
      writeFile(to, bytes);
    }
  }
  const cases = damageExpectations();
  writeAnswers(join(folder, "expected.json"), { cases });
  return pack.length;
}

/** The cases without their bytes. */
export function damageExpectations() {
  return damagePack().map(({ files, ...rest }) => ({ ...rest, files: files.map(({ path }) => path) }));
}
