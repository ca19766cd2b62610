/** `plimsoll open`: the report in a browser, or how to get it to one. */
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { hostname, tmpdir, userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { commandLine, operand } from "../base/command-line.ts";
import { reportDocument } from "../inputs/job/index.ts";
import { plain } from "../report/text/index.ts";
import { defineCommand } from "./command.ts";
import { JOB_OPTIONS, MERGE_OPTIONS, readJob, reportWords } from "./job/read.ts";
import { option } from "./option.ts";
import { writePage } from "./page-output.ts";

const CALLS_MAX = 100_000;
/** A browser that fails does so at once. */
const STARTED_MS = 1500;

export default defineCommand({
  name: "open",
  description:
    "Writes the report of plimsoll report -o and opens it in the browser. Without a display it prints the path of the file, which is self-contained, and the command that copies it to a machine with a browser.",
  arguments: [
    {
      name: "input",
      help: "logs or traces of one job, a folder of them, or - for stdin",
      kind: "file",
      variadic: true,
    },
  ],
  options: {
    output: option.output("FILE.html", "keep the report in this file (default: a temporary folder)"),
    ...MERGE_OPTIONS,
    ...JOB_OPTIONS,
  },
  examples: {
    "plimsoll open run.darshan": "the report in the browser",
    "plimsoll open trace-folder -o report.html": "keep the report file",
  },
  async run({ arguments: paths, options }, context) {
    const read = await readJob(paths, options, context, { callsMax: CALLS_MAX });
    const output = resolve(options.output ?? join(mkdtempSync(join(tmpdir(), "plimsoll-")), "report.html"));
    const document = reportDocument(read, reportWords(context));
    await writePage(document, output, context);
    const opened = await openInBrowser(output);
    if (context.json) {
      context.printJson({ output, opened, verdict: document.verdict });
      return;
    }
    context.out.write(`${plain(document.verdict)}\n`);
    context.out.write(opened ? `Opened ${plain(output)}\n` : withoutDisplay(output));
  },
});

/** Programs that open a file, by system; the first that is there is taken. */
function openers(): readonly string[] {
  if (process.platform === "darwin") return ["open"];
  const hasDisplay = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
  return hasDisplay ? [...(process.env.BROWSER ? [process.env.BROWSER] : []), "xdg-open"] : [];
}

async function openInBrowser(path: string): Promise<boolean> {
  for (const program of openers()) if (await starts(program, pathToFileURL(path).href)) return true;
  return false;
}

/** True when it runs, or has ended well. */
function starts(program: string, url: string): Promise<boolean> {
  return new Promise((done) => {
    const child = spawn(program, [url], { stdio: "ignore", detached: true });
    const timer = setTimeout(() => done(true), STARTED_MS);
    child.on("error", () => done(false));
    child.on("exit", (code) => {
      clearTimeout(timer);
      done(code === 0);
    });
    child.unref();
  });
}

/** Whoever is logged in over ssh: the host by the name that it calls itself. */
function withoutDisplay(path: string): string {
  const from = `${userInfo().username}@${hostname()}`;
  const copied = commandLine(["scp", `${from}:${path}`, "."]);
  const shown = commandLine(["xdg-open", operand(basename(path))]);
  const served = commandLine([
    "python3",
    "-m",
    "http.server",
    "-b",
    "localhost",
    "-d",
    dirname(path),
    "8000",
  ]);
  return `No display here. The report is one file that needs nothing else: ${plain(path)}
To see it, on your own machine:
  ${copied} && ${shown}
or
  ${commandLine(["ssh", "-L", "8000:localhost:8000", from, served])}
and open http://localhost:8000/${encodeURIComponent(basename(path))}
`;
}
