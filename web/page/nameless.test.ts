import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { readJob } from "../../src/inputs/job/index.ts";
import { nodeHost } from "../../src/inputs/node.ts";
import { nameless, previewRows } from "./nameless.ts";

it.each(["darshan/mpiio4_dxt.darshan", "darshan-text/mpiio4.txt"])("leaves no name of %s", async (name) => {
  const path = fileURLToPath(new URL(`../../test/fixtures/${name}`, import.meta.url));
  const jobs = { host: nodeHost, paths: [[path]] };
  const named = await readJob([path], nodeHost);
  const files = named.tables.get("layers")?.column("path") as readonly string[];
  const { host, paths } = await nameless(jobs, "a key", {});
  const { tables } = await readJob(paths[0] ?? [], host);
  const left = tables.get("layers")?.column("path") as readonly string[];
  expect(left).toHaveLength(files.length);
  for (const file of files.filter((one) => one.startsWith("/"))) expect(left).not.toContain(file);
  expect(previewRows(jobs, "a key").map(({ what }) => what)).toContain("Program");
});
