/** Counters of the routers that serve the nodes of the job (Cray XC). */
import { formatMany, formatScaled } from "../../../base/units.ts";
import { type Cell, type Section, type ShortColumn, type Tile, table } from "../../../model/index.ts";
import type { ReportInput } from "../input.ts";
import type { NetworkCounter, NetworkFacts, NetworkTile } from "../network.ts";
import { known } from "./layers.ts";

const TILES = { network: "router to router", processor: "router to nodes" } as const;

const COUNTERS: readonly ShortColumn[] = [
  ["tiles", "Tiles", "text", "The 40 tiles between routers, or the 8 tiles between a router and its nodes."],
  ["what", "Counter", "text", "Flits that came in on a virtual channel, or stalls of the row bus."],
  ["sum", "All routers", "count", "Sum over routers and tiles."],
];
const SPREAD: readonly ShortColumn[] = [
  ["mean", "Mean router", "count", "Sum / routers."],
  ["largest", "Largest router", "count", "The router with the most."],
  ["spread", "Largest / mean", "ratio", "How unevenly routers are loaded."],
  ["where", "Largest is", "text", "Place of that router."],
];
const TILE_COLUMNS: readonly ShortColumn[] = [
  ["tile", "Tile", "text", "Row and column in the router."],
  ["tiles", "Connects", "text", "Router to router, or router to nodes."],
  ["flits", "Flits", "count", "That came in, over all virtual channels and routers."],
  ["stalls", "Stalls", "count", "Cycles that flits waited for the row bus, over all routers."],
  ["ratio", "Stalls / flit", "none", "More than one: flits wait longer than they take."],
];
const ROUTER_COLUMNS: readonly ShortColumn[] = [
  ["router", "Router", "text", "Its place in the machine."],
  ["flits", "Flits", "count", "That came in, over all tiles."],
  ["stalls", "Stalls", "count", "Over all tiles."],
  ["ratio", "Stalls / flit", "none", "Stalls over flits."],
];

/** Undefined without APXC. */
export function network({ job: { network: facts } }: ReportInput): Section | undefined {
  if (facts === undefined) return undefined;
  const { routers, groups, chassis, blades, memoryModes, clusterModes } = facts;
  return {
    id: "network",
    title: "Network (Cray XC)",
    detail: true,
    fact: formatMany(routers, "router"),
    intro: `Counters of ${formatMany(routers, "router")} on ${formatMany(blades, "blade")}, ${formatMany(chassis, "chassis", "chassis")}, ${formatMany(groups, "group")}, while the job ran; other jobs on these routers count too. Nodes: memory mode ${memoryModes.join(", ")}, cluster mode ${clusterModes.join(", ")}.`,
    blocks: [
      { kind: "tiles", tiles: ratioTiles(facts) },
      routers > 1
        ? table(
            "network-counters",
            "Sums over routers, and how unevenly they are loaded.",
            [...COUNTERS, ...SPREAD],
            facts.counters.map((one) => [...counterRow(one), ...spreadCells(one)]),
          )
        : table(
            "network-counters",
            `Counters of the router at ${facts.perRouter[0]?.place}.`,
            COUNTERS,
            facts.counters.map(counterRow),
          ),
      table(
        "network-tiles",
        "Tiles over all routers, most stalls first.",
        TILE_COLUMNS,
        facts.tiles.map(tileRow),
      ),
      ...(routers > 1
        ? [
            table(
              "network-routers",
              "Routers with most stalls.",
              ROUTER_COLUMNS,
              facts.perRouter.map((one) => [one.place, one.flits, one.stalls, known(one.stalls / one.flits)]),
              routers,
            ),
          ]
        : []),
    ],
  };
}

function ratioTiles({ counters }: NetworkFacts): Tile[] {
  return (["network", "processor"] as const).map((tiles): Tile => {
    const sum = (kind: NetworkCounter["kind"]) =>
      counters.reduce((all, one) => (one.tiles === tiles && one.kind === kind ? all + one.sum : all), 0n);
    const [flits, stalls] = [Number(sum("flits")), Number(sum("stalls"))];
    return {
      label: `Stalls per flit, ${TILES[tiles]}`,
      value: flits > 0 ? stalls / flits : Number.NaN,
      unit: "none",
      ...(flits === 0 && { text: "no flits" }),
      note: `${formatScaled(stalls, "")} stalls, ${formatScaled(flits, "")} flits`,
      about: "Cycles that flits waited for the row bus of the router, over flits that came in.",
    };
  });
}

const counterRow = (one: NetworkCounter): Cell[] => [
  ...[
    TILES[one.tiles],
    `${one.kind}${one.channel === "" ? "" : `, ${CHANNELS[one.channel] ?? one.channel}`}`,
  ],
  one.sum,
];

const spreadCells = (one: NetworkCounter): Cell[] => [
  ...[one.meanPerRouter, one.largest, known(one.spread), one.largestRouter],
];

const CHANNELS: Readonly<Record<string, string>> = { REQ: "requests", RSP: "responses" };

const tileRow = (one: NetworkTile): Cell[] => [
  ...[`${one.row}, ${one.column}`, TILES[one.tiles], one.flits, one.stalls],
  known(Number(one.stalls) / Number(one.flits)),
];
