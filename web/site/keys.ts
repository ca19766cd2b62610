/** Keys of the site's pages, and the list of them behind `?`. */
import { all, isTyping, make } from "../report/dom.ts";
import type { TableView } from "../report/table-view.ts";

const KEYS = [
  ["/", "Find a job, a user, an account or a target"],
  ["s", "Search in the first table"],
  ["j, k", "Next panel, previous panel"],
  [
    "g, then n c q w r f p t s",
    "Go to Now, Compare, Quiet hours, Week, Runs, Files, Programs, Studies, Store",
  ],
  ["[ and ]", "Shorter, longer time"],
  ["Escape", "Close what is open; leave a field"],
  ["?", "This list"],
] as const;

const PLACES: Readonly<Record<string, string>> = {
  n: "",
  c: "compare",
  q: "quiet",
  w: "week",
  r: "runs",
  f: "files",
  p: "applications",
  t: "studies",
  s: "store",
};

export function enableSiteKeys(views: () => readonly TableView[]): void {
  const dialog = keysDialog();
  let isGoing = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || dialog.open) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") (event.target as HTMLElement).blur();
      return;
    }
    const place = isGoing ? PLACES[event.key] : undefined;
    isGoing = event.key === "g";
    if (place !== undefined) location.href = `${document.body.dataset.root ?? "./"}${place}`;
    else if (event.key === "?") dialog.showModal();
    else if (event.key === "/") document.querySelector<HTMLInputElement>(".find input")?.focus();
    else if (event.key === "s")
      views()
        .find((view) => view.searchField)
        ?.searchField?.focus();
    else if (event.key === "j" || event.key === "k") goToPanel(event.key === "j" ? 1 : -1);
    else if (event.key === "[" || event.key === "]") changeSpan(event.key === "]" ? 1 : -1);
    else return;
    event.preventDefault();
  });
}

function goToPanel(step: 1 | -1): void {
  const panels = all(".panel");
  const at = panels.findIndex((panel) => panel.getBoundingClientRect().top > 56);
  const next =
    step > 0
      ? panels[at < 0 ? panels.length - 1 : at]
      : panels[Math.max(0, (at < 0 ? panels.length : at) - 2)];
  next?.scrollIntoView({ block: "start" });
  const heading = next?.querySelector<HTMLElement>("h2");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

function changeSpan(step: 1 | -1): void {
  const links = all<HTMLAnchorElement>(".spans nav a");
  const at = links.findIndex((link) => link.hasAttribute("aria-current"));
  const next = at < 0 ? undefined : links[at + step];
  if (next) location.href = next.href;
}

function keysDialog(): HTMLDialogElement {
  const list = make("dl", {});
  for (const [key, what] of KEYS)
    list.append(make("div", {}, make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)));
  const close = make("button", { type: "button", class: "tool", onclick: () => dialog.close() }, "Close");
  const dialog = make(
    "dialog",
    { class: "keys", "aria-labelledby": "keys-title" },
    make("h2", { id: "keys-title" }, "Keys"),
    list,
    close,
  );
  document.body.append(dialog);
  return dialog;
}
