/** `plimsoll serve`: the site's pages over a store. */
import { resolve } from "node:path";
import { UsageError } from "../base/errors.ts";
import { aborted } from "../base/pause.ts";
import { version } from "../../package.json";
import { defineCommand } from "./command.ts";
import { option } from "./option.ts";

export default defineCommand({
  name: "serve",
  description:
    "Serves web pages about a store, also while ingest fills it: current load, targets, jobs, users, accounts, two periods compared, quiet hours, a weekly report, Darshan runs, files and programs, studies, the store itself. The first line on stdout is JSON with the URL, which contains an access token. It listens on 127.0.0.1 unless --host is given, never writes to the store, and accepts only GET and HEAD. Behind an authenticating proxy, --user-header names the header with the user name: users see their own jobs and the totals of all others, --admins see everything, and the proxy sends the token (Authorization: Bearer). Pages refresh when the store changes. SIGTERM stops it. See docs/serve.md, and examples/ for systemd, nginx and Apache.",
  options: {
    store: option.text("DIR", "store to read"),
    port: option.whole("port; 0 picks a free one", { min: 0, max: 65_535, default: 0 }),
    host: option.text("ADDRESS", "address to listen on", { default: "127.0.0.1" }),
    "user-header": option.text(
      "NAME",
      "header in which the proxy sends the user name, such as X-Remote-User",
    ),
    admins: option.list("NAME", "users who see everything, with --user-header; comma-separated"),
    "token-file": option.text("FILE", "file with the token (default: a new token at each start)"),
    sql: option.flag("enable /sql for administrators: read-only statements, max 10 s and 256 MiB each"),
    rules: option.text("FILE.json", "alert rules, as for plimsoll alerts (default: built-in rules)"),
    studies: option.text("DIR", "folder with results of plimsoll study -o, for /studies"),
    memory: option.bytes("database memory limit; beyond it, spill to disk", {
      min: 64 * 1024 * 1024,
      default: 512 * 1024 * 1024,
    }),
    threads: option.whole("threads per query (default: all cores)", { min: 1, max: 1024 }),
  },
  examples: {
    "plimsoll serve --store centre": "print an address to open in a browser",
    "plimsoll serve --store centre --port 8600 --token-file token --user-header X-Remote-User --admins root,kim":
      "behind an authenticating proxy",
  },
  async run({ options }, context) {
    const { store, host, port } = options;
    if (store === undefined) throw new UsageError("--store is missing: name a store folder");
    if (options.admins.length > 0 && options.userHeader === undefined)
      throw new UsageError(
        "--admins: needs --user-header; without it, everyone with the token sees everything",
      );
    const userHeader = options.userHeader?.toLowerCase();
    if (userHeader !== undefined && !/^[a-z][a-z0-9-]{1,60}$/.test(userHeader))
      throw new UsageError(
        `--user-header ${options.userHeader}: expected the name of a header, such as X-Remote-User`,
      );
    const { readAlertRules } = await import("./alert-rules.ts");
    const alerts =
      options.rules === undefined
        ? undefined
        : { rules: readAlertRules(options.rules), file: resolve(options.rules) };
    const { newToken, readToken, serveSite } = await import("../serve/index.ts");
    const token = options.tokenFile === undefined ? newToken() : readToken(options.tokenFile);
    const server = await serveSite({
      ...{ store, host, port, token, userHeader, sql: options.sql, studies: options.studies, alerts },
      admins: options.admins
        .flatMap((one) => one.split(","))
        .map((one) => one.trim())
        .filter((one) => one !== ""),
      ...{ memoryBytes: options.memory, threads: options.threads, madeBy: `Plimsoll ${version}` },
    });
    try {
      context.out.write(`${JSON.stringify({ url: server.url })}\n`);
      context.out.flush();
      await aborted(context.signal);
    } finally {
      await server.close();
    }
  },
});
