import { expect, it } from "vitest";
import { frame, placesAxis } from "./frame.ts";

const box = { left: 40, right: 240, top: 10, bottom: 110 };

it("a frame puts ticks, texts and grid lines where its scales say", () => {
  const made = frame({
    ...box,
    x: { scale: "log", domain: [1, 100], ticks: [1, 10, 100], unit: "calls" },
    y: { scale: "linear", domain: [0, 4], ticks: [0, 2], unit: "count" },
  });
  expect([1, 10, 100].map(made.x)).toEqual([40, 140, 240]);
  expect([0, 1, 4].map(made.y)).toEqual([110, 85, 10]);
  expect(made.grid).toContain('d="M40 10V110M140 10V110M240 10V110"');
  expect(made.grid).toContain('d="M40 110H240M40 60H240"');
  expect(made.axes).toContain('d="M40 110V114M140 110V114M240 110V114"');
  expect(made.axes).toContain('d="M40 110H36M40 60H36"');
  expect(made.axes).toContain('<text x="140" y="124.1">10</text>');
  expect(made.axes).toContain('<text x="33" y="63.2">2</text>');
});

it("gutters keep pixels free of the scales, and values beyond an axis stand at its end", () => {
  const axis = { scale: "log", domain: [1, 100], ticks: [], unit: "calls" } as const;
  const made = frame({ ...box, gutterX: 20, gutterY: 10, x: axis, y: axis });
  expect([0, 1, 1000].map(made.x)).toEqual([60, 60, 240]);
  expect([0, 1, 1000].map(made.y)).toEqual([100, 100, 10]);
});

it("an axis of places has no marks; downwards the first place is at the top", () => {
  const made = frame({ ...box, x: placesAxis(4), y: { ...placesAxis(2), down: true } });
  expect(made.grid + made.axes).toBe("");
  expect(made.y(0.5)).toBe(35);
});

it("an index is marked at the middle of its row, and an axis of one value is still a place", () => {
  const y = { scale: "linear", domain: [0, 2], ticks: [0, 1], unit: "index", shift: 0.5 } as const;
  const made = frame({ ...box, x: { ...placesAxis(1), domain: [3, 3] }, y });
  expect(made.axes).toContain('d="M40 85H36M40 35H36"');
  expect(made.axes).toContain(">1</text>");
  expect(made.x(3)).toBe(40);
});
