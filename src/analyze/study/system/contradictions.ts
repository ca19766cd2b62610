/** What does not add up in the paper. The report lists it, so that nobody tries to meet all numbers at once. */

/** About efficient and inefficient writes (B06). */
export const WRITE_CONTRADICTIONS: readonly string[] = [
  "Efficient and inefficient jobs of the paper do not add up to its heavy ones: 39,315 of 2,563,299 jobs (Cab) and 124,100 of 1,295,473 (Quartz) are neither, and 94 of 294 users (Cab). Ties at a mean cannot be that frequent. Here the class in between has a name and a size.",
  '89.8 % (Cab) and 92.4 % (Quartz) of all jobs are said to write more than the mean, but only "more than 53 %" do any I/O, and of data with a heavy tail few exceed the mean: 5 to 10 % are to be expected.',
  "Table III has medians above the means (39 GB and 14.4 GB). For non-negative amounts a mean is at least half of the median, so the two cannot describe the same jobs. The means are over all jobs (14.4 GB x 2,854,478 jobs = 41.4 TB x 994 users); the medians fit heavy jobs only.",
  "Bytes per call of users (30.5 GB) exceed those of every job (820 MB): they must be sums over jobs, not bytes over calls. Both are options here.",
];

/** About everything else. */
export const CONTRADICTIONS: readonly string[] = [
  "Quartz has 2,634 nodes of 36 cores in Table I, but the printed total of 96,768 cores and 344.06 TB of memory are those of 2,688 nodes.",
  "Section IV-D sums open, close, mknod, mkdir, link, unlink, rmdir and rename, but close and link are not in its list of collected counters.",
  "A counter jobstats_create is listed for metadata servers; Lustre has create on object servers only. Here files made are mknod calls.",
  '"Opened but not closed" is inferred from counts of metadata servers. Closes that are lost and opens that only look give the same picture.',
  "The paper says that entries are dropped after 600 s without requests. Servers look for such entries only when a new job comes, so they may live longer.",
  "Per-minute series: 16,795 jobs in 34 days, of which 5,370 did metadata only. At the yearly rate of Quartz about 130,000 jobs ran in that time. The paper does not say which ones were recorded.",
  "Bursts and similar runs are not defined. Both are options here.",
];
