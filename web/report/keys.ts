/** Keys of the page, and the list of them behind `?`. */
import { isTyping, make } from "./dom.ts";

const KEYS = [
  ["j, k", "Next cause, previous cause"],
  ["o", "Open or close the cause"],
  ["g", "Sections"],
  ["1 – 9", "Go to a section"],
  ["/", "Search in the current table"],
  ["Enter, Space", "On a header: sort by it; again: reverse the order"],
  ["Tab", "Next control; tables and timelines scroll with the arrow keys"],
  ["Escape", "Close what is open; leave a search field"],
  ["?", "This list"],
] as const;

interface KeyActions {
  section(number: number): void;
  search(): void;
  /** One further, or one back. */
  cause(step: 1 | -1): void;
  toggleCause(): void;
  sections(): void;
}

/** Gives the function that shows the list. */
export function enableKeys(actions: KeyActions): () => void {
  const list = make("dl", {});
  for (const [key, what] of KEYS)
    list.append(make("div", {}, make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)));
  const dialog = make(
    "dialog",
    { class: "keys", "aria-labelledby": "keys-title" },
    make("h2", { id: "keys-title" }, "Keys"),
    list,
    make("form", { method: "dialog" }, make("button", { class: "tool" }, "Close")),
  );
  // The policy of the page allows no forms to be sent; a dialog's own is not sent, but older browsers differ.
  dialog.querySelector("form")?.addEventListener("submit", (event) => {
    event.preventDefault();
    dialog.close();
  });
  document.body.append(dialog);
  const show = (): void => {
    if (!dialog.open) dialog.showModal();
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || dialog.open) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape") (event.target as HTMLElement).blur();
      return;
    }
    if (event.key === "?") show();
    else if (event.key === "/") actions.search();
    else if (event.key === "j") actions.cause(1);
    else if (event.key === "k") actions.cause(-1);
    else if (event.key === "o") actions.toggleCause();
    else if (event.key === "g") actions.sections();
    else if (/^[1-9]$/.test(event.key)) actions.section(Number(event.key));
    else return;
    event.preventDefault();
  });
  return show;
}
