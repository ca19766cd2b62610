/** A click into a row of a heat map leads to who loaded the target then. */
export function enableHeat(): void {
  document.addEventListener("click", (event) => {
    const cell = (event.target as Element).closest<HTMLElement>(".heat[data-href]");
    if (!cell || event.button !== 0) return;
    const { href = "", from = "", step = "", steps = "" } = cell.dataset;
    const box = cell.getBoundingClientRect();
    const at = Math.floor(((event.clientX - box.left) / box.width) * Number(steps));
    // An hour that ends a while after the minute that was clicked.
    const to = Number(from) + Math.min(Number(steps), at + Math.ceil(30 / Number(step))) * Number(step);
    const query = new URLSearchParams({ span: "60m", to: String(to * 60) });
    location.href = `${href}?${query}`;
  });
}
