/** `plimsoll watch`: what targets and jobs do now, on a terminal. */
import {
  checkZone,
  LIVE_ORDERS,
  type LiveOrder,
  liveLines,
  orderedLoad,
  storedLoad,
} from "../../analyze/load/index.ts";
import { WatchedFolders } from "../../collect/watch/folder.ts";
import { followLoad } from "../../collect/watch/follow.ts";
import { UsageError } from "../../base/errors.ts";
import { isSynthetic, type LiveLoad } from "../../model/index.ts";
import { durationMs } from "../values.ts";
import { defineCommand } from "../command.ts";
import { option } from "../option.ts";
import { Screen } from "../screen.ts";
import { ENGINE_OPTIONS } from "../store/options.ts";
import { isoTime, originOf, TARGET_OPTION, withStore } from "./options.ts";

export default defineCommand({
  name: "watch",
  description:
    "Shows the current load of a file system: targets with their rates, latencies and fill levels, and the busiest jobs. It reads collector folders (--dir; repeat it for copies of all servers' folders) or the last minutes of a store (--store). On a terminal it refreshes every --every until q is pressed; o changes the order. Without a terminal, or with --once, it prints one table; --json prints one document.",
  options: {
    dir: option.list("DIR", "folder of plimsoll collect server"),
    store: option.text("DIR", "store to read instead"),
    ...TARGET_OPTION,
    order: option.choice(LIVE_ORDERS, "sort by", { default: "bytes" }),
    every: option.text("TIME", "refresh interval", { default: "5s" }),
    span: option.text("TIME", "with --store: average over the last minutes", { default: "5min" }),
    limit: option.whole("number of rows of each table, without a terminal", {
      min: 1,
      max: 10_000,
      default: 20,
    }),
    once: option.flag("print one table and exit"),
    zone: option.text("TEXT", "time zone of output times", { default: "UTC" }),
    ...ENGINE_OPTIONS,
  },
  examples: {
    "plimsoll watch --dir /var/lib/plimsoll/server": "on a server, beside its collector",
    "plimsoll watch --store centre": "the last five minutes of a store, refreshed every five seconds",
    "plimsoll watch --store centre --once --order operations": "one table, for a script",
  },
  async run({ options }, context) {
    checkZone(options.zone);
    const everyMs = durationMs("--every", options.every, 200);
    const spanMinutes = Math.max(1, Math.round(durationMs("--span", options.span) / 60_000));
    const source = sourceOf(options, spanMinutes);
    const nowUnix = () => Date.now() / 1000;
    const first = await source.read();
    if (context.json) {
      const load = orderedLoad(first, options.order);
      context.printJson({
        ...{ source: source.name, from: isoTime(load.fromUnix), to: isoTime(load.toUnix) },
        ...{ order: options.order, targets: load.targets, jobs: load.jobs },
        ...{ notices: load.notices, synthetic: load.synthetic },
      });
      return;
    }
    const view = { zone: options.zone, source: source.name };
    if (options.once || !context.stdoutIsTerminal) {
      const height = 2 * options.limit + first.notices.length + 8;
      const lines = liveLines(first, {
        ...{ ...view, order: options.order, nowUnix: nowUnix(), height },
        width: context.columns,
      });
      context.out.write(`${lines.join("\n")}\n`);
      return;
    }
    await watch(first, source, { ...view, order: options.order, everyMs, signal: context.signal });
  },
});

interface Source {
  readonly name: string;
  read(): Promise<LiveLoad>;
}

type Values = Parameters<typeof withStore>[0] & {
  readonly dir: readonly string[];
  readonly target: readonly string[];
};

function sourceOf(options: Values, spanMinutes: number): Source {
  const { dir, store } = options;
  if ((store === undefined) === (dir.length === 0))
    throw new UsageError("name one source: --dir DIR of a collector, or --store DIR");
  if (store !== undefined) return { name: store, read: () => fromStore(options, spanMinutes) };
  if (options.target.length > 0) throw new UsageError("--target needs --store");
  const folders = new WatchedFolders(dir);
  return { name: dir.join(", "), read: async () => folders.read() };
}

/** Opened again each time: batches come. */
const fromStore = (options: Values, spanMinutes: number): Promise<LiveLoad> =>
  withStore(options, async (db) => ({
    ...(await storedLoad(db, options.target, spanMinutes)),
    synthetic: isSynthetic(await originOf(db, "readings")),
  }));

interface WatchSetting {
  readonly zone: string;
  readonly source: string;
  readonly order: LiveOrder;
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** Until q, Ctrl-C or a signal. */
async function watch(first: LiveLoad, source: Source, setting: WatchSetting): Promise<void> {
  const { everyMs, signal, ...view } = setting;
  let { order } = setting;
  let load = first;
  const end = new AbortController();
  const quit = () => end.abort();
  const draw = () => {
    const size = { width: screen.columns, height: screen.rows };
    const keys = "o: other order, q: quit";
    screen.draw(liveLines(load, { ...view, ...size, order, nowUnix: Date.now() / 1000, keys }));
  };
  const screen = new Screen({
    key: (key) => {
      if (key === "q" || key === "Q" || key === "\x03" || key === "\x04") quit();
      if (key !== "o") return;
      order = LIVE_ORDERS[(LIVE_ORDERS.indexOf(order) + 1) % LIVE_ORDERS.length] as LiveOrder;
      draw();
    },
    resize: draw,
  });
  signal.addEventListener("abort", quit, { once: true });
  screen.open();
  try {
    for await (load of followLoad(first, source.read, everyMs, end.signal)) draw();
  } finally {
    signal.removeEventListener("abort", quit);
    screen.close();
  }
}
