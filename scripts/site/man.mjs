// The pages that `man` shows, as HTML: the macros that src/cli/man.ts writes, and no others.

import { SetupError } from "../setup.mjs";
import { escapeHtml, slugger } from "./markdown.mjs";

const MACROS = { ".B": "b", ".BR": "b", ".I": "i" };

export function manHtml(troff, pageOf) {
  const slugOf = slugger();
  const out = [];
  let list = false;
  let term = false;
  let code = false;
  let name = "";
  const close = () => {
    if (list) out.push("</dd></dl>");
    list = false;
  };
  // Lines that no macro separates are one paragraph.
  let isNew = true;
  const paragraph = (html) => {
    const last = out.at(-1) ?? "";
    if (list || code) out.push(html);
    else if (isNew || !last.endsWith("</p>")) out.push(`<p>${html}</p>`);
    else out[out.length - 1] = last.replace(/<\/p>$/, ` ${html}</p>`);
    isNew = false;
  };
  for (const line of troff.trimEnd().split("\n")) {
    const [macro, ...rest] = line.split(" ");
    const words = rest.join(" ");
    if (!line.startsWith(".")) {
      if (term) term = endTerm(out, plainOf(line), "");
      else if (code) out.push(`${escapeHtml(plainOf(line))}\n`);
      else paragraph(escapeHtml(plainOf(line)));
    } else if (macro === ".TH") {
      name = plainOf(rest[0]).toLowerCase();
      out.push(`<h1 id="${slugOf(name)}">${name}(1)</h1>`);
    } else if (macro === ".SH") {
      close();
      const id = slugOf(plainOf(words));
      out.push(
        `<h2 id="${id}">${escapeHtml(plainOf(words))} <a class="anchor" href="#${id}" aria-label="Link">#</a></h2>`,
      );
    } else if (macro === ".TP") {
      out.push(list ? "</dd>" : "<dl>");
      list = true;
      term = true;
    } else if (macro === ".nf") {
      code = true;
      out.push('<pre tabindex="0"><code>');
    } else if (macro === ".fi") {
      code = false;
      out.push("</code></pre>");
    } else if (macro in MACROS) {
      const [first, second = ""] = macro === ".BR" ? rest : [words];
      const html = `<${MACROS[macro]}>${escapeHtml(plainOf(first))}</${MACROS[macro]}>`;
      const to = macro === ".BR" ? pageOf(plainOf(first)) : undefined;
      const linked = `${to === undefined ? html : `<a href="${to}">${html}</a>`}${second}`;
      if (term) term = endTerm(out, undefined, linked);
      else paragraph(linked);
    } else if (macro === ".PP") isNew = true;
    else if (![".RS", ".RE"].includes(macro)) {
      throw new SetupError(`the page ${name} for man has ${macro}, which scripts/site/man.mjs does not know`);
    }
  }
  close();
  return { html: join(out), title: name };
}

/** The line after .TP is the term, the rest its description. */
function endTerm(out, text, html) {
  out.push(`<dt>${text === undefined ? html : escapeHtml(text)}</dt><dd>`);
  return false;
}

const join = (parts) =>
  parts.join("\n").replaceAll("<code>\n", "<code>").replaceAll("\n\n</code>", "</code>");

const plainOf = (text) =>
  text
    .replaceAll("\\&", "")
    .replaceAll("\\-", "-")
    .replaceAll("\\(aq", "'")
    .replace(/\\\[u([0-9A-F]+)\]/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll("\\e", "\\");
