// Findings and a report of one job, by a program of your own: node findings.mjs report.html LOG...
import { jobSummary, jsonText, readJob, reportDocument, writePage } from "plimsoll/analyze";

const [output, ...logs] = process.argv.slice(2);
const read = await readJob(logs, { picture: { callsMax: 100_000 } });
for (const { severity, id, statement } of read.verdicts.findings)
  console.log(`${severity} ${id}: ${statement}`);

const document = reportDocument(read, { madeBy: "findings.mjs", command: `node findings.mjs ${output}` });
writePage(document, output);
console.log(jsonText(jobSummary(read).job));
