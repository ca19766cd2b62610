/** Timelines are decoded and drawn when they come near, or when a link asks for a place in one. */
import { formatValue } from "../../src/plot/index.ts";
import { all } from "./dom.ts";
import { mountTrace } from "./trace/index.ts";

type Mounted = ReturnType<typeof mountTrace>;
type Place = Parameters<Mounted["show"]>[0];

export class Timelines {
  readonly #hosts = all(".trace[data-trace]");
  readonly #mounted = new Map<HTMLElement, Mounted>();
  readonly #onPlace: (timeline: number, place: string, section: string) => void;
  /** The section that the address or a link led to: who asked for a timeline reads that, not what is below. */
  askedFor = "";
  /** What the address says of timelines that are still to come. */
  #places: ReadonlyMap<number, string> = new Map();

  /** `onPlace` hears what the reader made a timeline show. */
  constructor(onPlace: (timeline: number, place: string, section: string) => void) {
    this.#onPlace = onPlace;
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) {
          if (!isIntersecting) continue;
          observer.unobserve(target);
          this.#mount(target as HTMLElement);
        }
      },
      { rootMargin: "600px" },
    );
    for (const host of this.#hosts) observer.observe(host);
  }

  isIn(section: string): boolean {
    return this.#hosts.some((host) => host.closest("section")?.id === section);
  }

  /** Section of the first timeline, or nothing. */
  get section(): string {
    return this.#hosts[0]?.closest("section")?.id ?? "";
  }

  show(place: Place): void {
    for (const host of this.#hosts) this.#mount(host).show(place);
  }

  /** Goes to what `onPlace` was told; timelines without a place go to their first view. */
  restore(places: ReadonlyMap<number, string>): void {
    this.#places = new Map(places);
    for (const [i, host] of this.#hosts.entries()) this.#mounted.get(host)?.restore(places.get(i) ?? "");
  }

  #mount(host: HTMLElement): Mounted {
    const before = this.#mounted.get(host);
    if (before) return before;
    const data = JSON.parse(document.getElementById(`trace-${host.dataset.trace}`)?.textContent ?? '""');
    const number = this.#hosts.indexOf(host);
    const status = host.querySelector("[role=status]");
    const mounted = mountTrace(host.querySelector<HTMLElement>(".trace-host")!, data, {
      format: formatValue,
      change: (apply) => {
        if (host.closest("section")?.id === this.askedFor) apply();
        else keepBelowInPlace(host, apply);
      },
      onSelect: (text) => {
        if (status) status.textContent = text;
      },
      onPlace: (place) => this.#onPlace(number, place, host.closest("section")?.id ?? ""),
    });
    mounted.restore(this.#places.get(number) ?? "");
    this.#mounted.set(host, mounted);
    return mounted;
  }
}

/**
 * A timeline grows when it is mounted and again when its calls are unpacked. A reader of what comes below, who may just be pressing
 * a button there, must not see it move: the page scrolls by what the change and the browser's own scroll anchoring left.
 */
function keepBelowInPlace(host: HTMLElement, change: () => void): void {
  const before = host.getBoundingClientRect().bottom;
  change();
  const moved = host.getBoundingClientRect().bottom - before;
  if (moved !== 0 && before < innerHeight / 2) scrollBy({ top: moved, behavior: "instant" });
}
