/** Figures leave the page as SVG, PNG or CSV, made here from what the page holds. */
import { wrapText } from "../../src/plot/index.ts";
import type { PageData } from "../../src/report/html/index.ts";
import { all, button, download } from "./dom.ts";
import { inLightColours } from "./theme.ts";

/** Twice the size on screen: sharp in a slide. */
const PNG_SCALE = 2;

export function enableFigures(figures: PageData["figures"]): void {
  for (const host of all("figure[data-figure]")) {
    const figure = figures[Number(host.dataset.figure)];
    const svg = host.querySelector<SVGSVGElement>(".plot svg");
    const tools = host.querySelector(".tools");
    if (!figure || !tools) continue;
    if (svg) {
      tools.append(
        button("SVG", "Save as a drawing", () =>
          download(`${figure.id}.svg`, new Blob([standaloneSvg(svg, host)], { type: "image/svg+xml" })),
        ),
        button("PNG", "Save as a picture", () => void savePng(standaloneSvg(svg, host), `${figure.id}.png`)),
      );
    }
    tools.append(
      button("CSV", "Save the drawn data with exact numbers", () =>
        download(`${figure.id}.csv`, new Blob([figure.csv], { type: "text/csv" })),
      ),
    );
  }
}

/**
 * The drawing for a file of its own: light colours written out, on white, with title, caption, definition and options,
 * which in the page stand around it.
 */
function standaloneSvg(svg: SVGSVGElement, host: HTMLElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const { width, height } = drawnSize(svg);
  const inner = element("g", { transform: `translate(0 ${HEAD})` });
  inner.append(...copy.childNodes);
  const textOf = (selector: string): string => host.querySelector(selector)?.textContent?.trim() ?? "";
  const options = all(".meta span", host).map((one) => one.textContent ?? "");
  const lines = [
    ...wrapText(textOf("figcaption > p"), width - 20, 12, 12).map((text) => ({
      text,
      size: 12,
      fill: "text",
    })),
    ...wrapText(options.join(" · "), width - 20, 11, 6).map((text) => ({ text, size: 11, fill: "muted" })),
  ];
  const whole = height + HEAD + 8 + lines.length * LINE + 8;
  const title = wrapText(textOf(".caption"), width - 20, 15, 1).join(" ");
  copy.replaceChildren(
    element("rect", { width: String(width), height: String(whole), fill: "var(--plot-background)" }),
    words(title, { x: "8", y: "21", "font-size": "15", "font-weight": "600", fill: "var(--plot-text)" }),
    inner,
    ...lines.map(({ text, size, fill }, nth) => {
      const y = String(HEAD + height + 18 + nth * LINE);
      return words(text, { x: "8", y, "font-size": String(size), fill: `var(--plot-${fill})` });
    }),
  );
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("viewBox", `0 0 ${width} ${whole}`);
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(whole));
  inLightColours(() => writeColours(copy));
  return new XMLSerializer().serializeToString(copy);
}

const SVG = "http://www.w3.org/2000/svg";
const HEAD = 34;
const LINE = 16;

function element(name: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function words(text: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const made = element("text", attributes);
  made.textContent = text;
  return made;
}

/** Other programs know no custom properties: each takes its value of now. */
function writeColours(svg: SVGSVGElement): void {
  const style = getComputedStyle(document.documentElement);
  for (const one of [svg, ...svg.querySelectorAll("*")]) {
    for (const { name, value } of [...one.attributes]) {
      if (!value.includes("var(--")) continue;
      const written = value.replace(/var\((--[\w-]+)\)/g, (_, property) =>
        style.getPropertyValue(property).trim(),
      );
      one.setAttribute(name, written);
    }
  }
}

function drawnSize(svg: SVGSVGElement): { width: number; height: number } {
  const { width, height } = svg.viewBox.baseVal ?? { width: 0, height: 0 };
  if (width > 0 && height > 0) return { width, height };
  const box = svg.getBoundingClientRect();
  return { width: box.width, height: box.height };
}

async function savePng(svg: string, name: string): Promise<void> {
  const picture = new Image();
  await new Promise((loaded, failed) => {
    picture.onload = loaded;
    picture.onerror = failed;
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  });
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(picture.naturalWidth * PNG_SCALE);
  canvas.height = Math.ceil(picture.naturalHeight * PNG_SCALE);
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && download(name, blob), "image/png");
}
