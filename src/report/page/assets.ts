import { readFileSync } from "node:fs";
import { builtFile } from "../../node/built.ts";
import type { PageAssets } from "../compose.ts";

/** The script and styles of a page as the build left them: beside the program, or beside its folder of chunks. */
export function builtAssets(): PageAssets {
  const read = (name: string) => readFileSync(builtFile(name), "utf8");
  return { script: read("report-page.js"), style: read("report-page.css") };
}
