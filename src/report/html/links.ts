/** Addresses within the page. A link is made only when the document holds the place that it leads to. */
import type { Document } from "../../model/index.ts";
import { domId, escapeHtml } from "./escape.ts";

export interface Links {
  /** Each gives the address, ready for an attribute, or nothing. */
  file(fileId: string): string | undefined;
  rank(rank: number): string | undefined;
  span(startSeconds: number, endSeconds: number): string | undefined;
}

export function pageLinks(document: Document): Links {
  const files = new Set<string>();
  let timeline: string | undefined;
  for (const section of document.sections) {
    for (const block of section.blocks) {
      if (block.kind === "trace") timeline ??= domId(section.id);
      if (block.kind !== "table" || block.rowKey === undefined) continue;
      const at = block.columns.findIndex((column) => column.key === block.rowKey);
      for (const row of block.rows) files.add(String(row[at] ?? ""));
    }
  }
  return {
    file: (fileId) =>
      files.has(fileId) && !/\p{Surrogate}/u.test(fileId)
        ? escapeHtml(`#file=${encodeURIComponent(fileId)}`)
        : undefined,
    rank: (rank) => timeline && `#${timeline}&amp;rank=${rank}`,
    span: (startSeconds, endSeconds) =>
      timeline && `#${timeline}&amp;from=${startSeconds}&amp;to=${endSeconds}`,
  };
}
