/** Script, styles and logo of the pages: read once and served from memory; their names change with their content. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { builtFile } from "../node/built.ts";
import { withTheme } from "../report/compose.ts";
import { MARK_SVG } from "../report/html/index.ts";
import type { Reply } from "./http.ts";

const script = readFileSync(builtFile("site-page.js"));
const style = Buffer.from(withTheme(readFileSync(builtFile("site-page.css"), "utf8")));
const hash = (...parts: readonly Buffer[]): string => {
  const sum = createHash("sha256");
  for (const part of parts) sum.update(part);
  return sum.digest("hex").slice(0, 10);
};

export const ASSETS = {
  script: `site-${hash(script)}.js`,
  style: `site-${hash(style)}.css`,
  /** Hash of script and styles. */
  id: hash(script, style),
};

const FILES: ReadonlyMap<string, Omit<Reply, "status">> = new Map([
  [`/assets/${ASSETS.script}`, { type: "text/javascript; charset=utf-8", body: script }],
  [`/assets/${ASSETS.style}`, { type: "text/css; charset=utf-8", body: style }],
  ["/assets/mark.svg", { type: "image/svg+xml", body: Buffer.from(MARK_SVG) }],
]);

/** They say nothing about the store and need no token. */
export function assetReply(path: string, request: IncomingMessage): Reply | undefined {
  const file = FILES.get(path);
  if (file === undefined) return undefined;
  const tag = `"${ASSETS.id}"`;
  const headers = { ETag: tag, "Cache-Control": "private, max-age=86400" };
  if (request.headers["if-none-match"] === tag) return { ...file, status: 304, headers };
  return { ...file, status: 200, headers };
}
