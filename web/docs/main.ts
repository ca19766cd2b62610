/** Pages of the documentation: search, the menu on a phone, and a button that copies commands. */
import { lookUp, type SearchIndex } from "./search.ts";

declare global {
  interface Window {
    plimsollIndex?: SearchIndex;
  }
}

const RESULTS_MAX = 12;
const root = document.documentElement.dataset.root ?? "";

const byId = <Kind extends HTMLElement>(id: string): Kind => document.getElementById(id) as Kind;
const input = byId<HTMLInputElement>("search");
const results = byId("results");

/** A script, since a page on a disk may not fetch. */
function loadIndex(): void {
  if (document.getElementById("search-index") !== null) return;
  const script = document.createElement("script");
  script.id = "search-index";
  script.src = `${root}search-index.js`;
  script.addEventListener("load", show);
  document.head.append(script);
}

function show(): void {
  const query = input.value.trim();
  const index = window.plimsollIndex;
  results.hidden = query === "" || index === undefined;
  input.setAttribute("aria-expanded", String(!results.hidden));
  if (results.hidden || index === undefined) return;
  const found = lookUp(index, query, RESULTS_MAX);
  const items = found.map(({ path, page, title, lead }) => {
    const link = document.createElement("a");
    link.href = root + path;
    link.append(part("b", title), part("span", page === title ? "" : page), part("small", lead));
    return link;
  });
  results.replaceChildren(...(items.length > 0 ? items : [part("p", `Nothing found for “${query}”.`)]));
}

function part(name: string, text: string): HTMLElement {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

function move(step: number): void {
  const links = [...results.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement) + step;
  if (at < 0) input.focus();
  else links[Math.min(at, links.length - 1)]?.focus();
}

function close(): void {
  results.hidden = true;
  input.setAttribute("aria-expanded", "false");
}

input.addEventListener("focus", loadIndex);
input.addEventListener("input", () => {
  loadIndex();
  show();
});
document.addEventListener("keydown", (event) => {
  const isSearching = event.target === input || results.contains(event.target as Node);
  if (event.key === "/" && !isSearching) input.focus();
  else if (!isSearching) return;
  else if (event.key === "ArrowDown") move(1);
  else if (event.key === "ArrowUp") move(-1);
  else if (event.key === "Escape") close();
  else if (event.key === "Enter" && event.target === input) results.querySelector("a")?.click();
  else return;
  event.preventDefault();
});
document.addEventListener("click", (event) => {
  if (!(event.target as Element).closest(".search")) close();
});
results.addEventListener("click", () => setTimeout(close));

const menu = byId<HTMLButtonElement>("menu");
menu.addEventListener("click", () => {
  const isOpen = document.body.classList.toggle("menu-open");
  menu.setAttribute("aria-expanded", String(isOpen));
});

/** Of a session only the commands are copied, without prompts and outputs. */
function textToCopy(code: string): string {
  const commands = [...code.matchAll(/^\$ (.*)$/gm)].map(([, command = ""]) => command);
  return commands.length > 0 ? commands.join("\n") : code;
}

for (const block of document.querySelectorAll("main pre")) {
  if (navigator.clipboard === undefined) break;
  const button = part("button", "Copy") as HTMLButtonElement;
  button.className = "copy";
  button.type = "button";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(textToCopy(block.querySelector("code")?.textContent ?? ""));
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
  const box = document.createElement("div");
  box.className = "code";
  block.replaceWith(box);
  box.append(block, button);
}
