/** Which findings name which cause, in one place: ids of rules, and of Drishti's insights. */

/** Rules whose finding says what is wrong and what to change; an id that no rule has yet does no harm. */
export const RULES_OF: Readonly<Record<string, readonly string[]>> = {
  "small-writes": ["small-writes", "sub-block-writes", "mpiio-small"],
  "small-reads": ["small-reads"],
  "fsync-per-write": ["fsync-per-write", "excess-syncs"],
  "stdio-small": ["stdio-small"],
  "random-reads": ["random-reads"],
  "re-reads": ["re-reads", "shared-input"],
  "metadata-storm": ["metadata-storm", "metadata-time", "excess-stats"],
  "many-files": ["many-files", "small-file-set"],
  "slow-target": ["slow-target", "slow-ost"],
  "one-rank-io": ["one-rank-io", "idle-ranks"],
  "byte-imbalance": ["byte-imbalance"],
  straggler: ["straggler", "late-rank"],
  "independent-mpiio": ["independent-mpiio", "mpiio-small", "mpiio-file-view"],
  "single-aggregator": ["single-aggregator", "aggregators"],
  "write-amplification": ["write-amplification", "read-modify-write"],
  "hdf5-fill": ["hdf5-fill"],
  "hdf5-small": ["hdf5-small"],
  "hdf5-chunk-cache": ["hdf5-chunk-cache", "hdf5-chunks"],
  "read-after-write": ["read-after-write"],
  misaligned: ["misaligned"],
  "open-churn": ["open-churn", "repeated-opens"],
};

/** Findings that say how much, not why: no cause, so neither right nor a false alarm. */
export const SYMPTOMS: ReadonlySet<string> = new Set(["io-share"]);

/**
 * Insights of Drishti (drishti/includes/config.py) that are of level HIGH and name the cause. Causes that are not here
 * have none: it does not look at syncs, streams' buffers, files, targets or HDF5.
 */
export const DRISHTI_OF: Readonly<Record<string, readonly string[]>> = {
  "small-writes": ["P06", "P16"],
  "small-reads": ["P05", "P15"],
  "stdio-small": ["S01"],
  "random-reads": ["P11"],
  "metadata-storm": ["P17"],
  "many-files": ["P17"],
  "open-churn": ["P17"],
  "one-rank-io": ["P18", "P21", "P22"],
  "byte-imbalance": ["P18", "P21", "P22"],
  straggler: ["P19"],
  "independent-mpiio": ["M03"],
  "hdf5-small": ["P06", "P16"],
  misaligned: ["P08"],
};

/** Insights that Drishti gives the level HIGH, whatever the log. */
export const DRISHTI_HIGH: ReadonlySet<string> = new Set(
  "S01 P05 P06 P07 P08 P11 P13 P15 P16 P17 P18 P19 P21 P22 M02 M03 M09".split(" "),
);
