/** What a page of the site is: an address, panels, and for each panel its numbers, its SQL and its command. */
import type { alertRules } from "../analyze/load/index.ts";
import type { CsvValue } from "../base/csv.ts";
import type { Block, Provenance, Queryable } from "../model/index.ts";
import type { BatchInfo } from "../store/index.ts";
import type { Viewer } from "./access.ts";

export interface Panel {
  /** Short and stable: names its CSV. */
  readonly id: string;
  readonly title: string;
  /** Beside the title, grey: total and unit. */
  readonly note?: string;
  /** Blocks as reports have them, or markup of this site that has escaped what it shows. */
  readonly content: readonly Block[] | { readonly html: string };
  /** Rows with a head. */
  readonly csv: readonly (readonly CsvValue[])[];
  readonly sql: string;
  readonly command: string;
  /** In the narrow column at the right. */
  readonly aside?: boolean;
}

export interface PageContent {
  /** Of the window; the page shows it as its heading unless `head` is there. */
  readonly title: string;
  /** A sentence: what to take away. */
  readonly verdict?: string;
  /** Markup above the panels. */
  readonly head?: string;
  readonly panels: readonly Panel[];
  readonly origin: Provenance;
  /** The spans that the page can show, and the one it shows. */
  readonly spans?: { readonly choices: readonly string[]; readonly span: string };
}

export interface StoredStudy {
  /** Of its folder. */
  readonly name: string;
  readonly title: string;
  /** ISO 8601. */
  readonly changed: string;
  readonly synthetic: boolean;
}

export interface SiteAlerts {
  readonly rules: ReturnType<typeof alertRules>;
  /** Where they were read; undefined: the built-in ones. */
  readonly file?: string | undefined;
}

export interface Ask {
  /** Names in the path, in their order. */
  readonly names: readonly string[];
  /** One value for each parameter; at most some hundred characters. */
  param(name: string): string | undefined;
  readonly viewer: Viewer;
  readonly nowUnix: number;
  /** The store as commands name it. */
  readonly store: string;
  readonly batches: readonly BatchInfo[];
  readonly studies: readonly StoredStudy[];
  readonly alerts: SiteAlerts;
  /** From this page to the first one: "" or "../". */
  readonly root: string;
  answer<T>(name: string, ask: (db: Queryable) => Promise<T>): Promise<T>;
  /** A part that several answers have in common. */
  part<T>(name: string, ask: () => Promise<T>): Promise<T>;
}

export interface Page {
  /** `/target/:name`. */
  readonly path: string;
  /** Word in the bar; pages without one are reached by links. */
  readonly nav?: string;
  /** Others are told that it is for administrators. */
  readonly adminsOnly?: boolean;
  /** It says something else after this many seconds, though the store is the same. */
  readonly everySeconds?: number;
  readonly make: (ask: Ask) => Promise<PageContent>;
}

/** What was asked for is not there, or not theirs. */
export class NotFound extends Error {}
export class Forbidden extends Error {}
