/** Counters of the routers that serve a job (Cray XC, as AutoPerf counts them): sums and spread, never all values of all routers. */
import { ExactSums } from "../../base/exact-sums.ts";
import type { RouterCounter, RouterRow } from "../../model/index.ts";

export interface NetworkFacts {
  readonly routers: number;
  /** Different ones that routers lie in. */
  readonly groups: number;
  readonly chassis: number;
  readonly blades: number;
  /** Of the nodes; several where logs differ. */
  readonly memoryModes: readonly string[];
  readonly clusterModes: readonly string[];
  /** Flits by virtual channel and stalls, of tiles between routers and of tiles to the nodes. */
  readonly counters: readonly NetworkCounter[];
  /** Summed over routers, most stalls first. */
  readonly tiles: readonly NetworkTile[];
  /** Those with most stalls. */
  readonly perRouter: readonly NetworkRouter[];
}

export interface NetworkCounter {
  readonly tiles: TileKind;
  readonly kind: RouterCounter["kind"];
  /** Empty for stalls of tiles between routers. */
  readonly channel: string;
  readonly sum: bigint;
  readonly meanPerRouter: number;
  readonly largest: number;
  readonly largestRouter: string;
  /** The router with most over the mean; NaN when all are zero. */
  readonly spread: number;
}

export interface NetworkTile {
  /** Row and column in the router. */
  readonly row: number;
  readonly column: number;
  readonly tiles: TileKind;
  readonly flits: bigint;
  readonly stalls: bigint;
}

type NetworkRouter = {
  /** Group, chassis, blade and node. */
  readonly place: string;
  readonly flits: number;
  readonly stalls: number;
};

/** Between routers, or between a router and its nodes. */
type TileKind = "network" | "processor";

const PROCESSOR_ROW = 5;
const ROUTERS_MAX = 50;

const tilesOf = ({ row }: RouterCounter): TileKind => (row === PROCESSOR_ROW ? "processor" : "network");

/** Which sums a counter goes to. */
interface Shape {
  readonly counters: readonly RouterCounter[];
  /** Per counter of a router: its class of `classes`, its tile of `tiles`. */
  readonly classOf: Uint16Array;
  readonly tileOf: Uint16Array;
  readonly classes: readonly RouterCounter[];
  readonly tiles: readonly RouterCounter[];
}

function shapeOf(counters: readonly RouterCounter[]): Shape {
  const [classes, tiles] = [new Map<string, RouterCounter>(), new Map<string, RouterCounter>()];
  const placeIn = (map: Map<string, RouterCounter>, key: string, counter: RouterCounter) => {
    if (!map.has(key)) map.set(key, counter);
    return [...map.keys()].indexOf(key);
  };
  const classKey = (one: RouterCounter) => `${tilesOf(one)} ${one.kind} ${one.channel}`;
  return {
    counters,
    classOf: Uint16Array.from(counters, (one) => placeIn(classes, classKey(one), one)),
    tileOf: Uint16Array.from(counters, (one) => placeIn(tiles, `${one.row} ${one.column}`, one)),
    classes: [...classes.values()],
    tiles: [...tiles.values()],
  };
}

export class NetworkCounts {
  #sums: NetworkSums | undefined;

  add(row: RouterRow): void {
    this.#sums ??= new NetworkSums(shapeOf(row.counters));
    this.#sums.add(row);
  }

  /** Undefined without records. */
  finish(): NetworkFacts | undefined {
    return this.#sums?.finish();
  }
}

class NetworkSums {
  readonly #shape: Shape;
  readonly #classSums: ExactSums;
  readonly #tileFlits: ExactSums;
  readonly #tileStalls: ExactSums;
  readonly #largest: { value: number; place: string }[];
  readonly #own: Float64Array;
  readonly #places = { groups: new Set<string>(), chassis: new Set<string>(), blades: new Set<string>() };
  readonly #modes = { memory: new Set<string>(), cluster: new Set<string>() };
  #most: NetworkRouter[] = [];
  #routers = 0;

  constructor(shape: Shape) {
    this.#shape = shape;
    this.#classSums = new ExactSums(shape.classes.length);
    this.#tileFlits = new ExactSums(shape.tiles.length);
    this.#tileStalls = new ExactSums(shape.tiles.length);
    this.#largest = shape.classes.map(() => ({ value: -1, place: "" }));
    this.#own = new Float64Array(shape.classes.length);
  }

  add(row: RouterRow): void {
    const { counters, classOf, tileOf } = this.#shape;
    const own = this.#own.fill(0);
    let [flits, stalls] = [0, 0];
    counters.forEach(({ kind }, i) => {
      const [value, at, tile] = [row.values[i] as number, classOf[i] as number, tileOf[i] as number];
      own[at] = (own[at] as number) + value;
      this.#classSums.add(at, value);
      if (kind === "flits") {
        flits += value;
        this.#tileFlits.add(tile, value);
      } else {
        stalls += value;
        this.#tileStalls.add(tile, value);
      }
    });
    const place = this.#placeOf(row);
    own.forEach((value, at) => {
      const largest = this.#largest[at] as { value: number; place: string };
      if (value > largest.value) Object.assign(largest, { value, place });
    });
    this.#modes.memory.add(row.memoryMode);
    this.#modes.cluster.add(row.clusterMode);
    this.#routers++;
    this.#most.push({ place, flits, stalls });
    if (this.#most.length >= 2 * ROUTERS_MAX) this.#keepMost();
  }

  #placeOf({ group, chassis, blade, node }: RouterRow): string {
    const { groups, chassis: racks, blades } = this.#places;
    groups.add(`${group}`);
    racks.add(`${group} ${chassis}`);
    blades.add(`${group} ${chassis} ${blade}`);
    return `group ${group}, chassis ${chassis}, blade ${blade}, node ${node}`;
  }

  #keepMost(): void {
    this.#most = this.#most.sort((a, b) => b.stalls - a.stalls).slice(0, ROUTERS_MAX);
  }

  finish(): NetworkFacts {
    const { classes, tiles } = this.#shape;
    const routers = this.#routers;
    this.#keepMost();
    return {
      routers,
      groups: this.#places.groups.size,
      chassis: this.#places.chassis.size,
      blades: this.#places.blades.size,
      memoryModes: [...this.#modes.memory],
      clusterModes: [...this.#modes.cluster],
      counters: classes.map((one, at) => {
        const sum = this.#classSums.at(at);
        const mean = Number(sum) / routers;
        const { value, place } = this.#largest[at] as { value: number; place: string };
        return {
          ...{ tiles: tilesOf(one), kind: one.kind, channel: one.channel, sum, meanPerRouter: mean },
          ...{ largest: value, largestRouter: place, spread: value / mean },
        };
      }),
      tiles: tiles
        .map((one, at) => ({
          ...{ row: one.row, column: one.column, tiles: tilesOf(one) },
          ...{ flits: this.#tileFlits.at(at), stalls: this.#tileStalls.at(at) },
        }))
        .sort((a, b) => Number(b.stalls - a.stalls)),
      perRouter: this.#most,
    };
  }
}
