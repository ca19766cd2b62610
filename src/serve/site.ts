/** Types of the site: a page has an address and panels; a panel has its values as CSV, its SQL and its command. */
import type { alertRules } from "../analyze/load/index.ts";
import type { CsvValue } from "../base/csv.ts";
import type { Block, Provenance, Queryable } from "../model/index.ts";
import type { BatchInfo } from "../store/index.ts";
import type { Viewer } from "./access.ts";

export interface Panel {
  /** Short and stable: the CSV is named after it. */
  readonly id: string;
  readonly title: string;
  /** Shown in grey next to the title: total and unit. */
  readonly note?: string;
  /** Report blocks, or escaped markup of this site. */
  readonly content: readonly Block[] | { readonly html: string };
  /** Rows, with a header row. */
  readonly csv: readonly (readonly CsvValue[])[];
  readonly sql: string;
  readonly command: string;
  /** In the narrow column at the right. */
  readonly aside?: boolean;
}

export interface PageContent {
  /** Window title; also the heading of the page unless there is a `head`. */
  readonly title: string;
  /** The main result in one sentence. */
  readonly verdict?: string;
  /** Markup above the panels. */
  readonly head?: string;
  readonly panels: readonly Panel[];
  readonly origin: Provenance;
  /** Time spans to choose from, and the current one. */
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
  /** The file they come from; undefined: built-in. */
  readonly file?: string | undefined;
}

export interface Ask {
  /** Names in the path, in order. */
  readonly names: readonly string[];
  /** The value of a parameter, of limited length. */
  param(name: string): string | undefined;
  readonly viewer: Viewer;
  readonly nowUnix: number;
  /** The store path as in commands. */
  readonly store: string;
  readonly batches: readonly BatchInfo[];
  readonly studies: readonly StoredStudy[];
  readonly alerts: SiteAlerts;
  /** Relative path to the first page: "" or "../". */
  readonly root: string;
  answer<T>(name: string, ask: (db: Queryable) => Promise<T>): Promise<T>;
  /** A shared part of several results. */
  part<T>(name: string, ask: () => Promise<T>): Promise<T>;
}

export interface Page {
  /** `/target/:name`. */
  readonly path: string;
  /** Label in the navigation; pages without one are reached by links. */
  readonly nav?: string;
  /** Refused to other users. */
  readonly adminsOnly?: boolean;
  /** Recomputed after this time even if the store is the same. */
  readonly everySeconds?: number;
  readonly make: (ask: Ask) => Promise<PageContent>;
}

/** The page does not exist, or not for this user. */
export class NotFound extends Error {}
export class Forbidden extends Error {}
