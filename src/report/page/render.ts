/** The HTML form of a document, with everything that it carries inside. */
import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import type { Document } from "../../model/index.ts";
import { composePage, type PageHost } from "../compose.ts";
import { builtAssets } from "./assets.ts";

const nodePage: PageHost = {
  deflateRaw: (bytes) => deflateRawSync(bytes, { level: 6 }),
  base64: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
  sha256Base64: (text) => createHash("sha256").update(text).digest("base64"),
};

/** One HTML text that needs nothing else. */
export const renderPage = (document: Document): string => composePage(document, builtAssets(), nodePage);
