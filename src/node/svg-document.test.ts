import { expect, it } from "vitest";
import { svgDocument } from "./svg-document.ts";

it("there is one document, and it makes SVG elements", () => {
  const document = svgDocument();
  expect(svgDocument()).toBe(document);
  const circle = document.createElementNS("http://www.w3.org/2000/svg", "circle");
  circle.setAttribute("r", "3");
  expect(circle.getAttribute("r")).toBe("3");
  expect(document.body.childNodes).toHaveLength(0);
});
