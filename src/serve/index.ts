/** HTTP server for the site's pages over a store; reads only. */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { alertRules, DEFAULT_ALERTS } from "../analyze/load/index.ts";
import { csvText } from "../base/csv.ts";
import { FormatError, UsageError } from "../base/errors.ts";
import { useStore } from "../store/index.ts";
import { type AccessOptions, accessOf, cookieName, type Viewer } from "./access.ts";
import { type Answers, StoreAnswers, StoreGone, TooBusy } from "./answers.ts";
import { ASSETS, assetReply } from "./assets.ts";
import { Commands } from "./child.ts";
import { findReply } from "./find.ts";
import { type Frame, messageHtml, olderHtml, pageHtml } from "./html/frame.ts";
import { type HttpServer, type Limits, listen, plainText, type Reply } from "./http.ts";
import { KeptPages } from "./kept-pages.ts";
import { type MadeReports, reportReply } from "./report.ts";
import { PAGES, routeOf } from "./routes.ts";
import { type Ask, Forbidden, NotFound, type Page, type SiteAlerts } from "./site.ts";
import { sqlReply } from "./sql.ts";
import { studiesIn, studyReply } from "./studies.ts";

export { newToken, readToken } from "./access.ts";

export interface SiteOptions extends AccessOptions {
  readonly store: string;
  readonly host: string;
  readonly port: number;
  /** Allows SQL statements. */
  readonly sql: boolean;
  /** Alert rules instead of the built-in ones. */
  readonly alerts?: SiteAlerts | undefined;
  /** Folder of stored studies. */
  readonly studies?: string | undefined;
  readonly memoryBytes: number;
  readonly threads?: number | undefined;
  readonly madeBy: string;
  readonly limits?: Limits;
  readonly pages?: ConstructorParameters<typeof KeptPages>[0];
  readonly nowUnix?: () => number;
}

const HTML = "text/html; charset=utf-8";
const PARAM_CHARACTERS_MAX = 300;
/** Attempts for a page whose segments disappear while it is computed. */
const ATTEMPTS = 8;

const BUILT_IN: SiteAlerts = { rules: alertRules(DEFAULT_ALERTS, "built-in rules") };

/** Serves until closed; the address to open has the token. */
export async function serveSite(options: SiteOptions): Promise<HttpServer & { readonly url: string }> {
  // A store that is not there, or that nobody can read, is said at once.
  await useStore(options.store, {}, async () => {});
  const site = new Site(options);
  const server = await listen(
    options,
    (request, url, address) => site.reply(request, url, address),
    options.limits,
  );
  const { address, family, port } = server.address;
  return {
    address: server.address,
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}/?token=${options.token}`,
    async close() {
      await server.close();
      await site.close();
    },
  };
}

interface PageRequest {
  readonly url: URL;
  readonly viewer: Viewer;
  readonly page: Page | undefined;
  readonly names: readonly string[];
}

class Site {
  readonly #options: SiteOptions;
  readonly #answers: StoreAnswers;
  readonly #pages: KeptPages;
  readonly #reports: MadeReports = new Map();
  readonly #commands = new Commands();

  constructor(options: SiteOptions) {
    this.#options = options;
    this.#answers = new StoreAnswers(options.store, options);
    this.#pages = new KeptPages(options.pages);
  }

  close(): Promise<void> {
    return this.#answers.close();
  }

  async reply(request: IncomingMessage, url: URL, { port }: AddressInfo): Promise<Reply> {
    const asset = assetReply(url.pathname, request);
    if (asset !== undefined) return asset;
    const access = accessOf(request, url, port, this.#options);
    if (access.kind === "refused") return plainText(access.status, access.text);
    if (access.setCookie && isOpened(request)) return this.#moveToken(request, url, port);
    url.searchParams.delete("token");
    const route = routeOf(url.pathname);
    const asked = { url, viewer: access.viewer, page: route?.page, names: route?.names ?? [] };
    try {
      return await this.#pageReply(request, asked);
    } catch (error) {
      return this.#failure(error, asked);
    }
  }

  /** Moves the token from the address, where people would copy it, into a cookie that no script can read. */
  #moveToken(request: IncomingMessage, url: URL, port: number): Reply {
    url.searchParams.delete("token");
    const secure = request.headers["x-forwarded-proto"] === "https" ? "; Secure" : "";
    const cookie = `${cookieName(port)}=${this.#options.token}; HttpOnly; SameSite=Lax; Path=/${secure}`;
    // Relative to the page, so that it works below a proxy path.
    const last = url.pathname.split("/").at(-1) || "./";
    return plainText(303, "the token is in a cookie now", {
      "Set-Cookie": cookie,
      Location: `${last}${url.search}`,
      "Cache-Control": "no-store",
    });
  }

  async #pageReply(request: IncomingMessage, asked: PageRequest): Promise<Reply> {
    const { url, viewer, page } = asked;
    if (page === undefined && !EXTRA.test(url.pathname)) throw new NotFound("no such page");
    if (page?.adminsOnly && !viewer.isAdmin) throw new Forbidden("this page is for administrators");
    const version = await this.#answers.current();
    if (page === undefined) return this.#extraReply(asked, version);
    const tag = this.#tagOf(asked, version);
    if (request.headers["if-none-match"] === tag)
      return { status: 304, type: HTML, body: "", headers: { ETag: tag } };
    const csv = url.searchParams.get("csv");
    if (csv !== null) return this.#whole((now) => this.#csvReply(asked, page, csv, now));
    const made = await this.#pages.page({
      ...{ key: `${whoOf(viewer)} ${url.pathname}${url.search}`, tag, mayBeOlder: isOpened(request) },
      make: () =>
        this.#whole(async (now) => {
          const content = await page.make(this.#ask(asked, now));
          return {
            tag: this.#tagOf(asked, now),
            body: Buffer.from(pageHtml(content, this.#frame(asked, now))),
          };
        }),
    });
    const body = made.ageMs === undefined ? made.body : olderHtml(made.body, made.ageMs / 1000);
    return { status: 200, type: HTML, body, headers: { ETag: made.tag } };
  }

  /** Segments may disappear during a query, e.g. at the end of a compaction; the current ones have the same rows. */
  async #whole<T>(make: (version: Answers) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const version = await this.#answers.current();
      try {
        return await make(version);
      } catch (error) {
        if (attempt >= ATTEMPTS || !isOfStore(error)) throw error;
      }
    }
  }

  /** Changes with the store, the viewer, and for some pages with the clock. */
  #tagOf({ viewer, page }: PageRequest, version: Answers): string {
    const clock = page?.everySeconds === undefined ? 0 : Math.floor(this.#nowUnix() / page.everySeconds);
    return `"${version.id}-${clock}-${whoOf(viewer)}-${ASSETS.id}"`;
  }

  async #csvReply(asked: PageRequest, page: Page, id: string, version: Answers): Promise<Reply> {
    const content = await page.make(this.#ask(asked, version));
    const panel = content.panels.find((one) => one.id === id);
    if (panel === undefined) throw new NotFound(`this page has no panel ${id}`);
    const name = panel.id.replace(/[^\w-]/g, "-");
    return {
      ...{ status: 200, type: "text/csv; charset=utf-8", body: csvText(panel.csv) },
      headers: { "Content-Disposition": `attachment; filename="${name}.csv"` },
    };
  }

  async #extraReply(asked: PageRequest, version: Answers): Promise<Reply> {
    const { url, viewer } = asked;
    const ask = this.#ask(asked, version);
    const [, first, name = ""] = url.pathname.split("/");
    if (first === "find") return findReply(ask);
    if (first === "run") return reportReply(ask, name, this.#reports, this.#commands);
    if (!viewer.isAdmin) throw new Forbidden("this page is for administrators");
    if (first === "study") return studyReply(this.#options.studies, decodeURIComponent(name));
    if (!this.#options.sql) throw new NotFound("SQL is disabled; start plimsoll serve with --sql");
    return sqlReply(ask, this.#frame(asked, version), this.#commands);
  }

  #failure(error: unknown, asked: PageRequest): Reply {
    const say = (status: number, title: string, text: string, headers: Reply["headers"] = {}): Reply => ({
      ...{ status, type: HTML, headers: { "Cache-Control": "no-store", ...headers } },
      body: messageHtml(this.#frame(asked, undefined), title, text),
    });
    if (error instanceof NotFound) return say(404, "Not found", error.message);
    if (error instanceof Forbidden) return say(403, "Not yours", error.message);
    if (error instanceof TooBusy) return say(503, "Too busy", error.message, { "Retry-After": "2" });
    if (error instanceof UsageError && asked.page !== undefined)
      return isStoreFault(error)
        ? say(503, "No data", `${error.message}. Darshan logs are on the pages Runs, Files and Programs.`)
        : say(400, "Not so", error.message);
    const isClear = error instanceof FormatError || error instanceof UsageError || error instanceof StoreGone;
    const text = isClear ? error.message : "it cannot be read";
    return say(503, "The store is missing", `${text}. This page retries automatically.`, {
      "Retry-After": "5",
    });
  }

  #ask({ url, viewer, names }: PageRequest, version: Answers): Ask {
    return {
      ...{ names, viewer, nowUnix: this.#nowUnix(), store: this.#options.store, batches: version.batches },
      root: rootOf(url),
      alerts: this.#options.alerts ?? BUILT_IN,
      studies: url.pathname === "/studies" ? studiesIn(this.#options.studies) : [],
      param(name) {
        const value = url.searchParams.get(name)?.trim();
        if (value !== undefined && value.length > PARAM_CHARACTERS_MAX)
          throw new UsageError(`${name} is longer than ${PARAM_CHARACTERS_MAX} characters`);
        return value === "" ? undefined : value;
      },
      answer: (name, ask) => version.answer(name, ask),
      part: (name, ask) => version.part(name, ask),
    };
  }

  #frame({ url, viewer, page }: PageRequest, version: Answers | undefined): Frame {
    const address = new URLSearchParams(url.searchParams);
    address.delete("csv");
    const nav = PAGES.filter((one) => one.nav !== undefined && (viewer.isAdmin || !one.adminsOnly)).map(
      (one) => ({
        ...{ path: one.path.slice(1), word: one.nav ?? "", isHere: one === page },
      }),
    );
    return {
      ...{ root: rootOf(url), address, user: viewer.name, nav, sql: this.#options.sql && viewer.isAdmin },
      storeName: basename(this.#options.store) || this.#options.store,
      version: version?.id,
      madeBy: this.#options.madeBy,
      assets: ASSETS,
    };
  }

  #nowUnix(): number {
    return this.#options.nowUnix?.() ?? Date.now() / 1000;
  }
}

/** Addresses other than pages of panels: a redirect, saved reports, SQL. */
const EXTRA = /^\/(?:sql|find|run\/[^/]+\/report|study\/[^/]+)$/;
/** A browser that opens a page, as opposed to scripts of an open page and other programs. */
const isOpened = ({ headers }: IncomingMessage): boolean => (headers.accept ?? "").includes("text/html");
const whoOf = (viewer: Viewer): string =>
  createHash("sha256").update(JSON.stringify(viewer)).digest("hex").slice(0, 8);
const rootOf = ({ pathname }: URL): string => "../".repeat(Math.max(0, pathname.split("/").length - 2));
const isOfStore = (error: unknown): boolean =>
  !(
    error instanceof UsageError ||
    error instanceof NotFound ||
    error instanceof Forbidden ||
    error instanceof TooBusy
  );
/** Not a faulty request: the store has no such data yet. */
const isStoreFault = (error: UsageError): boolean => error.message.startsWith("the store has no");
