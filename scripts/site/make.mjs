// The pages of the site as files in a folder.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { bundlePage } from "../build.mjs";
import { importSources } from "../bundle.mjs";
import { root, SetupError } from "../setup.mjs";
import { makeGallery } from "./gallery.mjs";
import { pageHtml, rootOf } from "./layout.mjs";
import { manHtml } from "./man.mjs";
import { renderMarkdown, sectionsOf } from "./markdown.mjs";

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#0b5fae" stroke-width="1.5"><circle cx="8" cy="8" r="5"/><path d="M1 8h14"/></svg>\n`;

/** Beside docs/: what readers look for in a project. */
const PROJECT_PAGES = ["CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md"];
/** Its table and its sections are the pages for man. */
const COMMANDS = "docs/commands.md";

export async function makeSite(output, { gallery }) {
  const sources = await importSources(`
    export { commands } from "./src/cli/index.ts";
    export { manPages } from "./src/cli/man.ts";
    export { themeCss } from "./src/plot/index.ts";
    export { makeIndex } from "./web/docs/search.ts";`);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const names = [...markdownFiles("docs").filter((name) => name !== COMMANDS), ...PROJECT_PAGES];
  const files = new Set();

  /** The path on the site of a file of the project; undefined for folders and for what is not copied. */
  function placeOf(name, fragment) {
    if (name === COMMANDS) return `man/${fragment.startsWith("plimsoll") ? fragment : "plimsoll"}.html`;
    if (names.includes(name)) return `${pathOf(name)}${fragment === "" ? "" : `#${fragment}`}`;
    const index = posix.join(name, "README.md");
    if (names.includes(index)) return pathOf(index);
    if (!statSync(join(root, name), { throwIfNoEntry: false })?.isFile()) return undefined;
    files.add(name);
    return `files/${name}`;
  }

  const pages = names.map((name) => {
    const path = pathOf(name);
    const at = rootOf(path);
    const page = renderMarkdown(readFileSync(join(root, name), "utf8"), {
      link(href) {
        if (/^([a-z]+:|#)/.test(href)) return href;
        const [target, fragment = ""] = href.split("#");
        const place = placeOf(posix.normalize(posix.join(posix.dirname(name), target)), fragment);
        return place === undefined ? undefined : at + place;
      },
      file(href) {
        const target = posix.normalize(posix.join(posix.dirname(name), href));
        if (!existsSync(join(root, target)))
          throw new SetupError(`${name}: no picture ${target}; run npm run docs:pictures`);
        files.add(target);
        return { path: join(root, target), url: `${at}files/${target}` };
      },
    });
    // Cards of the front page: the name is a line by itself.
    if (path === "index.html")
      page.html = page.html.replaceAll(/<\/a>: (.)/g, (_, letter) => `</a>${letter.toUpperCase()}`);
    return { name, path, ...page };
  });
  const known = new Set([
    "plimsoll",
    ...sources.commands.map(({ name }) => `plimsoll-${name.replaceAll(" ", "-")}`),
  ]);
  const manual = (await sources.manPages(sources.commands)).map(({ file, text }, i) => {
    const path = `man/${file.replace(/\.1$/, ".html")}`;
    const page = manHtml(text, (one) => (known.has(one) ? `${one}.html` : undefined));
    return {
      path,
      ...page,
      sections: sectionsOf(page.html),
      label: sources.commands[i - 1]?.name ?? "plimsoll",
    };
  });
  const figures = gallery ? makeGallery(output, sources.themeCss()) : undefined;
  if (figures !== undefined)
    pages.push({ path: "gallery.html", isWide: true, sections: sectionsOf(figures.html), ...figures });

  const nav = navigation(pages, manual, figures !== undefined);
  for (const page of [...pages, ...manual])
    write(output, page.path, pageHtml({ ...page, nav, version, isFront: page.path === "index.html" }));
  for (const name of files) {
    mkdirSync(dirname(join(output, "files", name)), { recursive: true });
    cpSync(join(root, name), join(output, "files", name));
  }
  const { build } = await import("esbuild");
  const { script, style } = await bundlePage(build, "web/docs");
  const index = JSON.stringify(sources.makeIndex([...pages, ...manual]));
  write(output, "main.js", script);
  write(output, "style.css", style);
  write(output, "icon.svg", ICON);
  write(output, "search-index.js", `window.plimsollIndex=${index.replaceAll("<", "\\u003c")};\n`);
  return {
    pages: pages.length + manual.length,
    figures: figures?.count ?? 0,
    indexBytes: Buffer.byteLength(index),
  };
}

function write(output, path, text) {
  mkdirSync(dirname(join(output, path)), { recursive: true });
  writeFileSync(join(output, path), text);
}

const markdownFiles = (folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => relative(root, join(root, folder, name)))
    .sort();

/** docs/x/y.md is x/y.html, a README is the index of its folder. */
const pathOf = (name) =>
  name
    .replace(/^docs\//, "")
    .replace(/README\.md$/, "index.md")
    .replace(/\.md$/, ".html")
    .replace(/^[A-Z_]+\.html$/, (file) => file.toLowerCase().replaceAll("_", "-"));

/** The lists of the front page, with pages that it only names by their folder, and the pages for man. */
function navigation(pages, manual, hasGallery) {
  const front = readFileSync(join(root, "docs", "README.md"), "utf8");
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const groups = front
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const links = [...text.matchAll(/^- \[([^\]]+)\]\(([^)#]+)\)/gm)].flatMap(([, title, href]) => {
        const path = pathOf(posix.normalize(posix.join("docs", href)));
        if (byPath.has(path)) return [{ title, path }];
        // A folder: its pages.
        const index = posix.join(path, "index.html");
        const inside = pages.filter((page) => page.path.startsWith(`${path}/`));
        const rest = inside
          .filter((page) => page.path !== index)
          .map((page) => ({ title: page.title, path: page.path }));
        return byPath.has(index) ? [{ title, path: index }, ...rest] : rest;
      });
      return { title: text.split("\n", 1)[0].trim(), pages: links };
    });
  if (hasGallery) groups[0].pages.push({ title: "Gallery", path: "gallery.html" });
  groups.push({ title: "Commands", pages: manual.map(({ path, label }) => ({ path, title: label })) });
  const named = new Set(groups.flatMap((group) => group.pages.map(({ path }) => path)));
  const others = pages.filter(({ path }) => !named.has(path) && path !== "index.html");
  if (others.length > 0)
    groups.push({ title: "More", pages: others.map(({ path, title }) => ({ path, title })) });
  return groups;
}
