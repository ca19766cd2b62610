// The gallery: every figure that the commands below draw, taken from the pages that they write. Inputs are made by the
// commands themselves or are fixtures of this project; what is synthetic or simulated says so on its badge.

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { root, SetupError } from "../setup.mjs";
import { escapeHtml, slugger } from "./markdown.mjs";

const PATHOLOGIES = join(root, "test", "fixtures", "pathologies");
const TRACE = join(root, "test", "fixtures", "darshan", "mpiio4_dxt.darshan");

/** Inputs, in this order; names are those that the shown commands use. */
const PREPARE = [
  "demo",
  "generate single --output single",
  "generate sitewide --scale 0.01 --tables --output site",
  "generate reuse --tables --scale 0.02 --output centre",
];

/** A group of figures: its commands as shown, and the page that each leaves. `only` chooses figures by their id; `pictures` are of pages that a server gives. */
const GROUPS = [
  {
    title: "A job",
    about: "Where a job spends its time: ranks, files, sizes of calls, storage targets.",
    runs: [
      ["report plimsoll-demo/slow-checkpoint.darshan -o report.html", "report.html"],
      ["report trace.darshan -o trace.html", "trace.html"],
      ["bps trace.darshan -o bps.html", "bps.html"],
      ["diff flawed.darshan mended.darshan -o diff.html", "diff.html"],
    ],
  },
  {
    title: "Causes",
    about: "The picture that goes with each finding, from logs with one known problem each.",
    only: /^figure-cause-/,
    runs: [
      ..."small-writes metadata-storm random-reads re-reads read-modify-write rank0-io straggler misaligned stripe-one unbalanced-osts stdio-bulk independent"
        .split(" ")
        .map((name) => [`report single/${name}.darshan -o ${name}.html`, `${name}.html`]),
      ["report slow-target.darshan -o slow-target.html", "slow-target.html"],
    ],
  },
  {
    title: "A site",
    about: "Who loads the file system, when, and what changed.",
    runs: [
      ["top users --store site/store -o users.html", "users.html"],
      ["top accounts --store site/store -o accounts.html", "accounts.html"],
      ["top jobs --store site/store -o jobs.html", "jobs.html"],
      ["top targets --store site/store -o targets.html", "targets.html"],
      ["who --store site/store --by user -o who.html", "who.html"],
      ["job JOB --store site/store -o job.html", "job.html"],
      ["compare --store site/store --a 2018-06-07 --b 2018-06-08 -o compare.html", "compare.html"],
      ["week --store site/store -o week.html", "week.html"],
      ["quiet-hours --store site/store -o quiet.html", "quiet.html"],
    ],
    pictures: [
      {
        picture: "docs/images/serve.png",
        line: "serve --store site/store",
        title: "A site in a browser",
        caption: "Status, load against last week, targets by minute, users and accounts.",
      },
      {
        picture: "docs/images/serve-job.png",
        line: "serve --store site/store",
        title: "A job in a browser",
        caption: "Its load on each target by minute, with the load of other jobs there.",
      },
    ],
  },
  {
    title: "File reuse at a centre (Patel et al., FAST '20)",
    about: "The figures of the paper on a synthetic centre, with the published values drawn in.",
    runs: [
      ["study reuse --store centre/store -o reuse", "reuse/report.html"],
      ["file FILE --store centre/store -o file.html", "file.html"],
    ],
  },
  {
    title: "Job I/O on Lustre (Paul et al., 2020)",
    about: "The figures of the paper on a synthetic site, with the published values drawn in.",
    runs: [["study system --store site/store -o system", "system/report.html"]],
  },
  {
    title: "The BPS metric (He, Sun and Yin, IPDPSW '13)",
    about: "The figures of the paper on a device model.",
    runs: [["study metric --simulate -o metric", "metric/report.html"]],
  },
  {
    title: "Adaptive I/O (Lofstead et al., SC '10)",
    about: "The figures of the paper from the simulator, which runs the writer's own protocol.",
    runs: [
      ["sim run jaguar --writers 512 -o step.html", "step.html"],
      ...["fig1", "fig2", "fig3", "fig5", "fig6", "fig7", "policies"].map((part) => [
        `sim replay --samples 2 --only ${part} -o ${part}`,
        `${part}/report.html`,
      ]),
      ["sim alternatives -o alternatives.html", "alternatives.html"],
      [
        "write -o try.bp --targets a,b,c,d --workload pixie3d-small -n 16 --target-speed 0:0.125 --base-speed 20M --report write.html",
        "write.html",
      ],
    ],
  },
  {
    title: "Noncontiguous I/O (Ching et al., IPDPS '06)",
    about: "A small sweep on the machine that made these pages: shapes, not speeds of a file system.",
    runs: [
      [
        "ncio sweep -o ncio --backend memory --pause 0 --repeats 3 --warm-ups 0 --vary size=8:4096 --case c-nc --count 1024 -n 2",
        "ncio/report.html",
      ],
    ],
  },
];

/** Figures as files below `folder`/gallery, and the HTML of the page. */
export function makeGallery(folder, themeCss) {
  const work = mkdtempSync(join(tmpdir(), "plimsoll-gallery-"));
  const name = slugger();
  mkdirSync(join(folder, "gallery"), { recursive: true });
  try {
    const names = prepare(work);
    const groups = GROUPS.map((group) => {
      const figures = group.runs.flatMap(([line, page]) => {
        plimsoll(work, real(line, names));
        return figuresOf(readFileSync(join(work, page), "utf8"))
          .filter(({ id }) => group.only?.test(id) ?? true)
          .map((figure) => ({ ...figure, line: `plimsoll ${line}` }));
      });
      for (const figure of figures) {
        figure.file = `gallery/${name(`${figure.line.split(" ")[1]}-${figure.id.replace("figure-", "")}`)}.svg`;
        writeFileSync(join(folder, figure.file), standalone(figure.svg, themeCss));
      }
      const pictures = (group.pictures ?? []).map((one) => pictureFile(folder, one));
      return { ...group, figures: [...figures, ...pictures] };
    });
    return galleryHtml(groups);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A page of a server has no figures of its own: `npm run docs:pictures` keeps a picture of it. */
function pictureFile(folder, { picture, line, ...texts }) {
  const file = `gallery/${basename(picture)}`;
  copyFileSync(join(root, picture), join(folder, file));
  return { ...texts, file, line: `plimsoll ${line}`, origin: "synthetic" };
}

/** Inputs in the folder; gives what stands for JOB and FILE. */
function prepare(work) {
  for (const line of PREPARE) plimsoll(work, line.split(" "));
  for (const [name, from] of [
    ["trace.darshan", TRACE],
    ["flawed.darshan", join(PATHOLOGIES, "01a-appends-flawed.darshan")],
    ["mended.darshan", join(PATHOLOGIES, "01a-appends-mended.darshan")],
    ["slow-target.darshan", join(PATHOLOGIES, "09a-targets-flawed.darshan")],
  ])
    writeFileSync(join(work, name), readFileSync(from));
  for (const target of ["a", "b", "c", "d"]) mkdirSync(join(work, target));
  const first = (table, sql) =>
    Object.values(JSON.parse(plimsoll(work, ["sql", sql, "--store", `${table}/store`, "--json"]))[0])[0];
  return {
    JOB: String(
      first("site", "select job_id from minutes group by 1 order by sum(bytes_written) desc, 1 limit 1"),
    ),
    FILE: String(
      first(
        "centre",
        "select path from files join accesses using (file_id) group by 1 order by count(*) desc, 1 limit 1",
      ),
    ),
  };
}

const real = (line, names) => line.split(" ").map((word) => names[word] ?? word);

function plimsoll(cwd, words) {
  const program = join(root, "dist", "start.cjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new SetupError(`gallery: plimsoll ${words.join(" ")} failed: ${stderr.trim()}`);
  return stdout;
}

/** The figures of a page, as src/report/html/blocks.ts writes them. */
function figuresOf(page) {
  const found = [...page.matchAll(/<figure id="(figure-[^"]+)"[^>]*>([\s\S]*?)<\/figure>/g)];
  return found.flatMap(([, id, html]) => {
    const part = (pattern) => pattern.exec(html)?.[1] ?? "";
    const svg = part(/(<svg[^>]*class="plot-figure[\s\S]*?<\/svg>)/);
    if (svg === "") return [];
    const origin = part(/<span class="badge simulated">([^<]*)<\/span>/);
    const title = part(/aria-label="([^"]*)"/);
    return [
      { id, svg, title, origin, caption: part(/<figcaption><p>([\s\S]*?)<\/p>/).replace(/<[^>]+>/g, "") },
    ];
  });
}

/** A file of its own needs the colours, which a page has in its styles. */
const standalone = (svg, css) => svg.replace(/^(<svg[^>]*>)/, (start) => `${start}<style>${css}</style>`);

function galleryHtml(groups) {
  const slugOf = slugger();
  const headings = [{ depth: 1, id: slugOf("Gallery"), text: "Gallery" }];
  const count = groups.reduce((sum, { figures }) => sum + figures.length, 0);
  const parts = groups.map(({ title, about, figures }) => {
    const id = slugOf(title);
    headings.push({ depth: 2, id, text: title });
    const lines = [...new Set(figures.map(({ line }) => line))];
    return `<h2 id="${id}">${escapeHtml(title)} <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(title)}">#</a></h2>
<p>${escapeHtml(about)}</p>
<pre tabindex="0"><code>${lines.map(escapeHtml).join("\n")}</code></pre>
<div class="gallery">${figures.map(figureHtml).join("\n")}</div>`;
  });
  const prepared = PREPARE.map((line) => `plimsoll ${line}`).join("\n");
  const html = `<h1 id="gallery">Gallery</h1>
<p>${count} figures, drawn by the commands above them when these pages were made. Inputs come from these commands, or are small logs of this project. Select a figure to open it at full size.</p>
<pre tabindex="0"><code>${escapeHtml(prepared)}</code></pre>
${parts.join("\n")}`;
  return { html, headings, title: "Gallery", count };
}

const figureHtml = ({ file, title, caption, origin }) =>
  `<figure><a href="${file}"><img src="${file}" alt="${title}" loading="lazy"></a><figcaption><b>${title}</b>${origin === "" ? "" : ` <span class="badge">${origin}</span>`} ${caption}</figcaption></figure>`;
