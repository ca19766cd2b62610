/** The small text behind each "i": opens on click, Enter or Space; closes on Escape, on a second click, elsewhere. */
import { all, make } from "./dom.ts";

export function enableAbout(): void {
  let opener: HTMLElement | undefined;
  const box = make("div", { class: "popover", id: "page-about", role: "status", hidden: true });
  document.body.append(box);

  const close = (): void => {
    opener?.setAttribute("aria-expanded", "false");
    opener = undefined;
    box.hidden = true;
  };
  const open = (from: HTMLElement): void => {
    close();
    opener = from;
    box.textContent = from.dataset.about ?? "";
    box.hidden = false;
    from.setAttribute("aria-expanded", "true");
    place(box, from);
  };

  for (const button of all(".about")) {
    // A title would open a second box on hover.
    button.dataset.about = button.title;
    button.removeAttribute("title");
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-controls", "page-about");
    button.addEventListener("click", () => (opener === button ? close() : open(button)));
  }
  document.addEventListener("pointerdown", (event) => {
    const target = event.target as Element;
    if (opener && !box.contains(target) && !opener.contains(target)) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !opener) return;
    const from = opener;
    close();
    from.focus();
    event.stopPropagation();
  });
  document.addEventListener("focusin", (event) => {
    if (opener && event.target !== opener && !box.contains(event.target as Node)) close();
  });
  addEventListener("resize", close);
  // Boxes that scroll would leave it hanging in the air.
  document.addEventListener("scroll", (event) => event.target !== document && close(), { capture: true });
}

/** Below the opener, or above where there is more room; always within the window. */
function place(box: HTMLElement, opener: HTMLElement): void {
  const edge = 12;
  const from = opener.getBoundingClientRect();
  const [width, height] = [box.offsetWidth, box.offsetHeight];
  const page = document.documentElement;
  const left = Math.max(
    edge,
    Math.min(from.left + from.width / 2 - width / 2, page.clientWidth - width - edge),
  );
  const below = from.bottom + 8 + height <= page.clientHeight || from.top < height + 8;
  const top = below ? from.bottom + 8 : from.top - height - 8;
  box.style.left = `${left + scrollX}px`;
  box.style.top = `${top + scrollY}px`;
}
