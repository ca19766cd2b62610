/** Words and signs that stand beside colours, so that no colour speaks alone. */
import type { NoticeBlock, Severity } from "../../model/index.ts";

export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  high: "High",
  warn: "Warning",
  info: "Info",
};

export const NOTICE_WORDS: Readonly<Record<NoticeBlock["level"], string>> = {
  missing: "Not recorded",
  note: "Note",
  warning: "Warning",
  error: "Error",
};

/** Filled marks of severities: shape, colour and word together. */
const MARKS = {
  high: '<path d="M6 0l6 6-6 6-6-6z" fill="currentColor"/>',
  warn: '<path d="M6 .8l6 10.6H0z" fill="currentColor"/>',
  info: '<circle cx="6" cy="6" r="4.6" fill="none" stroke="currentColor" stroke-width="1.8"/>',
  good: '<path d="M1.2 6.4l3.2 3.2 6.4-7.2" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"/>',
  unknown: '<path d="M1 6h10" stroke="currentColor" stroke-width="2" stroke-dasharray="2.4 1.6"/>',
} as const;

const MARK_WORDS: Readonly<Record<keyof typeof MARKS, string>> = {
  ...SEVERITY_WORDS,
  good: "OK",
  unknown: "No cause found",
};

export function severityHtml(level: keyof typeof MARKS): string {
  return `<span class="sev ${level}">${markSvg(level)}${MARK_WORDS[level]}</span>`;
}

/** The mark of a severity alone; a word stands beside it. */
export const markSvg = (level: keyof typeof MARKS): string =>
  `<svg viewBox="0 0 12 12" aria-hidden="true">${MARKS[level]}</svg>`;

const SHAPES = {
  octagon: '<path d="M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7H5.2l-3.7-3.7V5.2z"/><path d="M8 4.6v4.2M8 11.3v.1"/>',
  triangle: '<path d="M8 2 14.7 13.7H1.3z"/><path d="M8 6.4v3.4M8 11.8v.1"/>',
  circle: '<circle cx="8" cy="8" r="6.4"/><path d="M8 7.2v4M8 4.8v.1"/>',
  dashed: '<circle cx="8" cy="8" r="6.4" stroke-dasharray="2.6 2.4"/><path d="M5.2 8h5.6"/>',
};

const ICONS: Readonly<Record<Severity | NoticeBlock["level"], keyof typeof SHAPES>> = {
  high: "octagon",
  warn: "triangle",
  info: "circle",
  missing: "dashed",
  note: "circle",
  warning: "triangle",
  error: "octagon",
};

/** A small drawing, one shape per level; the word beside it says the same. */
export function icon(level: Severity | NoticeBlock["level"]): string {
  return `<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${SHAPES[ICONS[level]]}</svg>`;
}
