/** Parts of the first page: verdict, states, sample age, users, space. */
import type { TargetSpace } from "../../analyze/load/index.ts";
import { formatAge, formatMany, formatShare } from "../../base/units.ts";
import { attribute, escapeHtml, markSvg, name, prose } from "../../report/html/index.ts";
import { addressOf } from "../links.ts";
import { byteScale, countScale, longAge, shareText } from "../units.ts";
import { isArchive, type Verdict } from "../verdict.ts";
import type { Who, WhoRow } from "../who.ts";
import { short } from "./time.ts";

export interface State {
  readonly level: "good" | "warn" | "unknown";
  readonly word: string;
  readonly text: string;
}

export interface FreshTarget {
  readonly label: string;
  readonly unix: number;
  readonly isLate: boolean;
}

export function verdictHtml(
  verdict: Verdict,
  states: readonly State[],
  links: { readonly about: string | undefined; readonly who: string },
): string {
  const [before = "", after = ""] =
    verdict.about === undefined ? [verdict.headline] : split(verdict.headline, verdict.about.name);
  const word =
    verdict.about === undefined
      ? ""
      : verdict.headline.slice(before.length, verdict.headline.length - after.length);
  const headline =
    word === "" || links.about === undefined
      ? prose(verdict.headline)
      : `${prose(before)}<a href="${escapeHtml(links.about)}">${name(word, 60)}</a>${prose(after)}`;
  return `<div class="now"><div><h1 class="sev-${verdict.level}"><span class="sev ${verdict.level}">${markSvg(verdict.level)}</span><span>${headline}</span></h1><p>${prose(verdict.lead)}${links.who}</p></div>
<ul class="states">${states.map(stateHtml).join("")}</ul></div>`;
}

/** Splits the headline at the name, which may appear in it without its file system. */
function split(headline: string, full: string): [string, string] {
  const short = full.replace(/^.*-(?=(OST|MDT)[0-9a-f]{4}$)/i, "");
  const at = headline.indexOf(short);
  return at < 0 ? [headline, ""] : [headline.slice(0, at), headline.slice(at + short.length)];
}

const stateHtml = ({ level, word, text }: State): string =>
  `<li><span class="sev ${level}">${markSvg(level)}${escapeHtml(word)}</span>${prose(text)}</li>`;

const CELLS_MAX = 48;
/** Width of a label and an age. */
const CELL_PX = 40;

/** Age of the newest sample of each target; of hundreds, only the newest, the oldest in time and the late ones. */
export function freshHtml(
  groups: readonly { readonly kind: string; readonly targets: readonly FreshTarget[] }[],
  nowUnix: number,
): string {
  const all = groups.flatMap(({ targets }) => targets);
  const newest = all.reduce((best, one) => (one.unix > best.unix ? one : best));
  if (isArchive(nowUnix - newest.unix)) return archiveHtml(all, newest, nowUnix);
  const isMany = all.length > CELLS_MAX;
  const age = (one: FreshTarget) =>
    `<span data-unix="${Math.floor(one.unix)}" class="age">${formatAge(nowUnix - one.unix)}</span>`;
  const cell = (one: FreshTarget, label: string) =>
    `<li${one.isLate ? ' class="late"' : ""} title="${attribute(`${one.label}: newest sample ${new Date(one.unix * 1000).toISOString().slice(0, 19)} UTC`)}"><b>${prose(label)}</b>${age(one)}</li>`;
  if (!isMany)
    return `<div class="fresh"><span class="cap"><b>Age</b> of the newest sample, in seconds unless a unit is given</span>${groups
      .filter(({ targets }) => targets.length > 0)
      .map(
        ({ kind, targets }) =>
          `<div style="flex:${targets.length} 1 ${CELL_PX * (targets.length + 1)}px"><span>${escapeHtml(kind)}</span><ul>${targets.map((one) => cell(one, shortLabel(one.label))).join("")}</ul></div>`,
      )
      .join("")}</div>`;
  const late = all.filter(({ isLate }) => isLate);
  const oldest = all
    .filter((one) => !one.isLate)
    .reduce((worst, one) => (one.unix < worst.unix ? one : worst), newest);
  return `<div class="fresh many"><span class="cap"><b>Age</b> of the newest sample, in seconds unless a unit is given</span><ul>${cell(newest, `newest of ${all.length} targets`)}${cell(oldest, "oldest in time")}${late
    .slice(0, 12)
    .map((one) => cell(one, one.label))
    .join("")}</ul>${late.length > 12 ? `<span>and ${late.length - 12} more are late</span>` : ""}</div>`;
}

/** For archives: ages of years say nothing, but targets whose samples end earlier matter. */
function archiveHtml(all: readonly FreshTarget[], newest: FreshTarget, nowUnix: number): string {
  const early = all.filter(({ unix }) => newest.unix - unix >= ARCHIVE_EARLY_SECONDS).length;
  const rest =
    early === 0
      ? `the same of ${all.length === 1 ? "its target" : `all ${all.length} targets`}`
      : `${formatMany(early, "target")} of ${all.length} end${early === 1 ? "s" : ""} more than an hour earlier`;
  return `<div class="fresh"><span class="cap"><b>Newest sample</b> ${new Date(newest.unix * 1000).toISOString().slice(0, 16)} UTC, ${longAge(nowUnix - newest.unix)} ago; ${rest}</span></div>`;
}

const ARCHIVE_EARLY_SECONDS = 3600;

/** OST0007 is 7. */
const shortLabel = (label: string): string =>
  /(?:OST|MDT)0*([0-9a-f]+)$/i.exec(label)?.[1] ?? label.slice(-4);

export function whoHtml(who: Who, place: "user" | "account", root: string, ahead: string): string {
  const isBytes = who.measure === "bytes" || who.measure === "read" || who.measure === "write";
  const { divisor, unit } = isBytes ? byteScale(who.total) : countScale(who.total, "ops");
  const most = who.rows.reduce((high, { share }) => Math.max(high, share || 0), 0);
  const hasBefore = who.rows.some(({ change }) => !Number.isNaN(change));
  const row = (one: WhoRow): string => {
    const address = one.kind === "one" ? addressOf(root, place, one.name) : undefined;
    const label =
      address === undefined
        ? name(one.name, 24)
        : `<a href="${escapeHtml(address)}">${name(one.name, 24)}</a>`;
    const width = most > 0 ? (100 * (one.share || 0)) / most : 0;
    return `<tr class="${one.kind}"><th scope="row">${label}${one.note === "" ? "" : `<span>${prose(one.note)}</span>`}</th><td class="bar-c"><i style="width:${width.toFixed(1)}%"></i></td><td class="num">${shareText(one.share)}</td><td class="num"><b>${amountText(one.amount / divisor)}</b></td>${hasBefore ? changeHtml(one) : ""}</tr>`;
  };
  if (who.rows.length === 0) return '<p class="nothing">No load in this period.</p>';
  return `<div class="scroll"><table class="who"><thead><tr><th scope="col">${escapeHtml(ahead)}</th><th scope="col" colspan="2" class="num">share</th><th scope="col" class="num">${escapeHtml(unit)}</th>${hasBefore ? '<th scope="col" class="num" title="change to the same time last week">± week</th>' : ""}</tr></thead><tbody>${who.rows.map(row).join("")}</tbody></table></div>`;
}

const amountText = (value: number): string => (value > 0 && value < 0.005 ? "<0.01" : short(value));

/** A trend has no severity, so the arrows are grey. */
function changeHtml({ change, kind }: WhoRow): string {
  if (change === null) return `<td class="num tr">${kind === "one" ? "new" : "–"}</td>`;
  const arrow = change > 0.05 ? "↑" : change < -0.05 ? "↓" : "→";
  const percent = Math.abs(100 * change);
  const text = percent >= 1000 ? "10×+" : `${percent.toFixed(0)} %`;
  return `<td class="num tr"><span aria-hidden="true">${arrow}</span> <span class="sr-only">${change < 0 ? "less" : "more"}</span>${text}</td>`;
}

const FULL_ALERT = 0.9;

export function spaceHtml(spaces: readonly TargetSpace[], root: string): string {
  const groups = ["OST", "MDT"].map((kind) => ({
    kind,
    targets: spaces.filter(({ target }) => target.toUpperCase().startsWith(kind)),
  }));
  const bar = (one: TargetSpace) => {
    const share = Number.isNaN(one.share) ? 0 : one.share;
    const title = `${one.target}: ${formatShare(one.share)} of its space, ${formatShare(one.inodesShare)} of its inodes`;
    const address = addressOf(
      root,
      "target",
      one.fileSystem === null ? one.target : `${one.fileSystem}-${one.target}`,
    );
    return `<li class="${share > FULL_ALERT ? "full" : ""}" title="${attribute(title)}"><a href="${escapeHtml(address ?? "")}"><span class="sr-only">${prose(title)}</span><i style="height:${(100 * share).toFixed(1)}%"></i></a></li>`;
  };
  const shown = groups.filter(({ targets }) => targets.length > 0);
  return `<div class="space">${shown.map(({ targets }) => `<ul style="flex:${Math.max(2, targets.length)}">${targets.map(bar).join("")}</ul>`).join("")}<span class="lim"></span></div>
<div class="spx axis">${shown.map(({ kind, targets }) => `<span>${kind}: ${targets.length}</span>`).join("")}<span>line: alert from 90 %</span></div>`;
}
