/** Rules on files that are opened again and again. */
import { fewerMetadataCalls } from "../cost/call-remedies.ts";
import { fewerOperations } from "../cost/remedies.ts";
import type { Job, JobFile } from "../job.ts";
import { defineRule, type Judgement, limit, type Rule } from "../rule.ts";
import { SNIPPETS, snippetFor, wayOf } from "../snippets/index.ts";
import { COUNTERS, trust, worstFiles } from "./evidence.ts";
import { metadataFacts } from "./file-facts.ts";
import { accessesOf, sum } from "./measures.ts";
import { CALLS, metadataEvidence, metadataUses, metaSecondsOf, OPERATIONS } from "./metadata-calls.ts";
import { fileCalls, realFiles } from "./per-job.ts";
import { costSentence, grouped, many, theseFiles, times } from "./wording.ts";

const openChurn = defineRule({
  id: "open-churn",
  title: "A file opened for every record",
  subject: { text: "an open for every record" },
  picture: { kind: "files", by: "opens" },
  meaning: "Ranks open and close the same file for every few accesses, so most calls are opens and closes.",
  needs: CALLS,
  thresholds: {
    ratio: limit`10 ratio | opens of a file per rank | Plimsoll's choice: one open per phase adds up to only a few`,
    accesses: limit`4 ratio, at most | reads and writes per open, at most | Plimsoll's choice: with more, opens are a small part of the calls`,
    opens: { ...OPERATIONS, value: 100, meaning: "such opens of the job, at least" },
  },
  judge(job, limits, others) {
    const said = others.claimed(["metadata-storm"]);
    const files = reopened(job, limits, said).filter(
      (file) => accessesOf(file.called) <= limits.accesses * fileCalls(job, file).opens,
    );
    return opensJudgement(job, files, limits.opens);
  },
});

const repeatedOpens = defineRule({
  id: "repeated-opens",
  title: "Files opened repeatedly",
  subject: { text: "repeated opens", plural: true },
  picture: { kind: "files", by: "opens" },
  meaning:
    "Ranks open and close the same file many times instead of keeping it open. Files opened for every record are left to open-churn.",
  needs: CALLS,
  thresholds: {
    ratio: limit`10 ratio | opens of a file per rank | Plimsoll's choice: one open per phase adds up to only a few; ARSC's and NASA's Lustre advice: avoid repetitive open and close`,
    opens: { ...OPERATIONS, meaning: "such opens of the job, at least" },
  },
  judge: (job, limits, others) =>
    opensJudgement(
      job,
      reopened(job, limits, others.claimed(["metadata-storm", "open-churn"])),
      limits.opens,
    ),
});

const reopened = (job: Job, limits: { readonly ratio: number }, said: ReadonlySet<string>) =>
  realFiles(job).filter(
    (file) =>
      !said.has(file.fileId) && fileCalls(job, file).opens >= limits.ratio * Math.max(1, file.called.ranks),
  );

/** Nothing where one process opens one file. */
const opensOfEach = (job: Job, files: readonly JobFile[], each: number) =>
  job.ranks === 1 && files.length === 1
    ? ""
    : job.ranks === 1
      ? `, ${times(each)} each on average`
      : `, ${times(each)} by each rank that uses ${files.length === 1 ? "it" : "them"} on average`;

function opensJudgement(job: Job, files: readonly JobFile[], least: number): Judgement | undefined {
  const opensOf = (file: JobFile) => fileCalls(job, file).opens;
  const opens = sum(files, opensOf);
  if (!(opens >= least)) return undefined;
  const meta = metadataFacts(job);
  const seconds = metaSecondsOf(job, files);
  const uses = sum(files, ({ called }) => called.ranks);
  return {
    cost: fewerMetadataCalls(
      files,
      ["opens"],
      fewerOperations(
        metadataUses(job, files),
        "one open and close for each file and rank, at the mean cost of such a call",
      ),
    ),
    measured: {
      ratio: opens / uses,
      accesses: sum(files, ({ called }) => accessesOf(called)) / opens,
      opens,
    },
    statement: `${many(files.length, "file")} ${files.length === 1 ? "is" : "are"} opened ${grouped(opens)} times${opensOfEach(job, files, opens / uses)} (the job has ${grouped(meta.opens)} opens).${costSentence(job, seconds, `Metadata calls of ${theseFiles(files.length)} take`)}`,
    evidence: {
      ...metadataEvidence(job),
      ...worstFiles(
        files,
        opensOf,
        (file) => `${grouped(opensOf(file))} opens by ${many(file.called.ranks, "rank")}`,
      ),
    },
    action: {
      change: "Keep files open",
      advice:
        "Open the file before the loop and close it afterwards; flush where others must see the data in between.",
      snippet: snippetFor(job, SNIPPETS.openOnce, { way: wayOf(files) }),
    },
    effect: `${grouped(opens - uses)} of ${grouped(meta.opens)} opens saved, and as many closes.`,
    ...trust(job, COUNTERS, "high", "opens are counted for each file"),
    claims: files.map(({ fileId }) => ({ fileId })),
  };
}

export const OPEN_RULES: readonly Rule[] = [openChurn, repeatedOpens];
