"""The study of file reuse as people do it today: pandas on tables. Items and keys as `plimsoll study reuse --json`.

peer.py FOLDER ZONE

FOLDER has accesses.csv and runs.csv for A01 to A15, calls.csv and modules.csv for A16. Prints one JSON document: the
version of pandas; seconds to load and to compute A01 to A15, and of the rest (A16, other thresholds, intervals); bytes of
address space at import and at most; values by item; and the cells of figure 2. It follows the definitions for complete
accesses with a good clock.
"""
import json
import re
import sys
import time

import numpy as np
import pandas as pd

MIN_BYTES, MIN_RUNS = 100_000_000_000, 2
EXCLUDED = "/var/opt/cray/dws"
HOUR = 3.6e12
CLASS_THRESHOLDS, CLASS_BYTES = [0.5, 0.8, 0.9, 0.95, 0.99], 100_000_000_000
DRAWS, SAMPLE_FILES, SAMPLE_RUNS = 1000, 3000, 5000


def address_space(field):
    with open("/proc/self/status", encoding="ascii") as status:
        return int(re.search(rf"^{field}:\s+(\d+) kB", status.read(), re.M)[1]) * 1024


def load(folder):
    ids = {"run_id": "uint64", "application_id": "uint64", "user_id": "int64"}
    seconds = ["slowest_seconds", "variance_seconds", "variance_bytes"]
    return (
        pd.read_csv(
            f"{folder}/accesses.csv",
            dtype={
                **ids,
                "file_id": "uint64",
                **dict.fromkeys(["start_unix_ns", "bytes_read", "bytes_written"], "int64"),
                **dict.fromkeys(seconds, "float64"),
                **dict.fromkeys(["mount", "layer", "osts"], "category"),
            },
        ),
        pd.read_csv(f"{folder}/runs.csv", dtype=ids),
    )


def load_side(folder):
    counts = ["reads", "writes", "sequential_reads", "sequential_writes", "stripe_count"]
    return (
        pd.read_csv(
            f"{folder}/calls.csv",
            dtype={
                "file_id": "uint64",
                **dict.fromkeys(["mount", "layer"], "category"),
                **dict.fromkeys(counts, "float64"),
            },
        ),
        pd.read_csv(f"{folder}/modules.csv", dtype={"modules": "category"}, keep_default_na=False),
    )


def cov(groups):
    """Coefficient of variation of the population, where there are two values and a mean above zero."""
    mean = groups.mean()
    return (groups.std(ddof=0) / mean).where((groups.count() >= 2) & (mean > 0))


def half_up(values):
    return np.floor(values + 0.5)


def least_over_most(values):
    return values.min() / values.max()


def included(table):
    mounts = table["mount"].cat.categories
    excluded = mounts[(mounts == EXCLUDED) | mounts.str.startswith(EXCLUDED + "/")]
    return table if len(excluded) == 0 else table[~table["mount"].isin(excluded)]


def compute(accesses, runs, zone):
    items = {}
    accesses = included(accesses)

    # All files.
    files = (
        accesses.groupby(["file_id", "mount"], observed=True, sort=False)
        .agg(r=("bytes_read", "sum"), w=("bytes_written", "sum"), runs=("run_id", "size"))
        .reset_index()
    )
    files["total"] = files["r"] + files["w"]
    read, written = accesses["bytes_read"].sum(), accesses["bytes_written"].sum()
    items["A01"] = {
        "logs": len(runs),
        "files": len(files),
        "applications": runs["application_id"].nunique(),
        "users": runs["user_id"].nunique(),
        "bytesRead": read,
        "bytesWritten": written,
        "bytes": read + written,
        "accesses": len(accesses),
    }
    small, medium, once = files["total"] < 1e9, files["total"] < 100e9, files["runs"] == 1
    items["A02"] = {
        "files": len(files),
        "below1GB": small.mean(),
        "below100GB": medium.mean(),
        "oneRun": once.mean(),
        "below1GBAndOneRun": (small & once).mean(),
        "below100GBAndOneRun": (medium & once).mean(),
    }
    moving = files[files["total"] > 0]
    data_bin = np.floor(np.log10(moving["total"]) * 4 + 1e-9).astype("int64")
    power = np.floor(np.log10(moving["runs"]) + 1e-9).astype("int64")
    runs_bin = 9 * power + moving["runs"] // 10**power - 1
    histogram = moving.groupby([data_bin.rename("x"), runs_bin.rename("y")]).size()

    large, often = files["total"] >= MIN_BYTES, files["runs"] >= MIN_RUNS
    selected = files[large & often].sort_values(["file_id", "mount"]).reset_index(drop=True)
    selected["file"] = np.arange(len(selected))
    items["A03"] = {
        "files": len(selected),
        "largeFiles": large.sum(),
        "filesOfSeveralRuns": often.sum(),
        "shareOfBytes": selected["total"].sum() / (read + written),
    }

    # Accesses of the selected files, in the order of each file.
    a = accesses.merge(selected[["file_id", "mount", "file"]], on=["file_id", "mount"])
    a = a.rename(columns={"bytes_read": "r", "bytes_written": "w"})
    a = a.sort_values(["file", "start_unix_ns", "run_id"], ignore_index=True)
    a["bytes"] = a["r"] + a["w"]
    a["hours"] = a["start_unix_ns"] / HOUR
    a["io"] = a["slowest_seconds"].where(np.isfinite(a["slowest_seconds"]) & (a["slowest_seconds"] >= 0))

    per_run = a.groupby("run_id", sort=False)[["r", "w", "bytes"]].sum()
    files_of_user = a.groupby("user_id")["file"].nunique()
    user_bytes = a.groupby("user_id")["bytes"].sum().nlargest(10)
    chosen = selected["total"].sum()
    items["A04"] = {
        "files": len(selected),
        "runs": len(per_run),
        "applications": a["application_id"].nunique(),
        "users": a["user_id"].nunique(),
        "bytesRead": selected["r"].sum(),
        "bytesWritten": selected["w"].sum(),
        "bytes": chosen,
        "usersOfMoreThan2Files": (files_of_user > 2).mean(),
        "filesPerUser": files_of_user.mean(),
        "topUserShare": user_bytes[:1].sum() / chosen,
        "top5UsersShare": user_bytes[:5].sum() / chosen,
        "top10UsersShare": user_bytes.sum() / chosen,
        "accesses": len(a),
        "metadataOnlyAccesses": (a["bytes"] == 0).sum(),
    }

    d = (selected["r"] - selected["w"]) / selected["total"]
    kind = pd.Series(np.select([d >= 0.9, d <= -0.9], [1, -1], 0), index=selected["file"])
    counts = kind.value_counts().reindex([1, -1, 0], fill_value=0)
    items["A05"] = {
        **dict(zip(["readHeavy", "writeHeavy", "readWrite"], counts)),
        **dict(zip(["readHeavyShare", "writeHeavyShare", "readWriteShare"], counts / counts.sum())),
    }

    busy = per_run[per_run["bytes"] > 0]
    x = (busy["r"] - busy["w"]).abs() / busy["bytes"]
    reads, writes = busy["r"] > busy["w"], busy["r"] < busy["w"]
    items["A06"] = {
        "runs": len(per_run),
        "readRuns": reads.sum(),
        "writeRuns": writes.sum(),
        "balanced": (busy["r"] == busy["w"]).sum(),
        "readShare": reads.sum() / (reads.sum() + writes.sum()),
        "writeShare": writes.sum() / (reads.sum() + writes.sum()),
        "readOverWrite": reads.sum() / writes.sum(),
        "oneSided90": (x >= 0.9).mean(),
        "oneSided95": (x >= 0.95).mean(),
        "oneSided99": (x >= 0.99).mean(),
        "meanDifference": x.mean(),
    }

    # Gaps and streaks of each type of access.
    s = a.loc[a["bytes"] > 0, ["file", "hours"]].copy()
    s["type"] = np.sign(a["r"] - a["w"])
    s["begins"] = s["type"] != s.groupby("file")["type"].shift()
    s["gap"] = s.groupby(["file", "type"])["hours"].diff()
    types = s.groupby(["file", "type"]).agg(
        n=("type", "size"), streaks=("begins", "sum"), gap=("gap", "mean")
    )
    types["streak"] = types["n"] / types["streaks"]
    by_type = types.groupby("type")[["n", "streaks"]].sum().reindex([1, -1, 0], fill_value=0)
    files_by_type = types.groupby("type").size().reindex([1, -1, 0], fill_value=0)
    items["A07"] = {
        "accesses": len(a),
        "readGaps": by_type.at[1, "n"] - files_by_type[1],
        "writeGaps": by_type.at[-1, "n"] - files_by_type[-1],
        "readStreaks": by_type.at[1, "streaks"],
        "writeStreaks": by_type.at[-1, "streaks"],
        "balanced": by_type.at[0, "n"],
    }

    gaps = types["gap"].unstack().reindex(columns=[1, -1])
    streaks = types["streak"].unstack(fill_value=0).reindex(columns=[1, -1], fill_value=0)
    items["A08"], items["A09"] = {}, {}
    for code, name in [(1, "read"), (-1, "write")]:
        gap, streak = gaps[code].dropna(), streaks[code]
        items["A08"] |= {
            f"{name}Files": len(gap),
            f"{name}MeanHours": gap.mean(),
            f"{name}P80Hours": gap.quantile(0.8),
            f"{name}MedianHours": gap.median(),
            f"{name}LongShare": (gap >= 50).mean(),
        }
        items["A09"] |= {
            f"{name}Mean": streak.mean(),
            f"{name}AtLeast2": (streak >= 2).mean(),
            f"{name}Exactly2": (half_up(streak) == 2).mean(),
            f"{name}RoundedAtLeast2": (half_up(streak) >= 2).mean(),
            f"filesWithout{name.capitalize()}s": (streak == 0).sum(),
        }
    items["A09"]["readOverWrite"] = items["A09"]["readMean"] / items["A09"]["writeMean"]

    own = a.groupby(["file", "application_id"])
    pair_gaps = a.assign(gap=own["hours"].diff()).groupby(["file", "application_id"])["gap"].mean()
    applications = pair_gaps.groupby("file").size()
    shared = kind[applications.index[applications >= 2]]
    items["A10"] = {
        "sharedByTwoOrMore": (applications >= 2).mean(),
        "sharedByThreeOrMore": (applications >= 3).mean(),
        "applicationsMean": applications.mean(),
        "applicationsMost": applications.max(),
        "applicationMeanHours": pair_gaps.mean(),
        "applicationMedianHours": pair_gaps.median(),
        "gaps": pair_gaps.count(),
        "sharedReadWrite": (shared == 0).mean(),
        "sharedReadHeavy": (shared == 1).mean(),
        "sharedWriteHeavy": (shared == -1).mean(),
        "filesOfSeveralUsers": (a.groupby("file")["user_id"].nunique() > 1).sum(),
    }

    read_bytes, write_bytes = busy.loc[reads, "bytes"], busy.loc[writes, "bytes"]
    items["A11"] = {
        "readMeanBytes": read_bytes.mean(),
        "writeMeanBytes": write_bytes.mean(),
        "writeOverRead": write_bytes.mean() / read_bytes.mean(),
        "meanBytes": busy["bytes"].mean(),
        "readMedianBytes": read_bytes.median(),
        "writeMedianBytes": write_bytes.median(),
        "readRunsBytes": read_bytes.sum(),
        "writeRunsBytes": write_bytes.sum(),
        "bytes": busy["bytes"].sum(),
    }

    # Layouts repeat from run to run: texts are taken apart once per file and layout.
    def on_osts(key):
        laid = a.groupby([key, "osts"], observed=True)["bytes"].sum().reset_index()
        laid["ost"] = laid["osts"].astype(str).str.split()
        laid["width"] = laid["ost"].str.len()
        return laid.explode("ost").astype({"ost": "int64"})

    layouts = on_osts("file")
    layouts["part"] = layouts["bytes"] / layouts["width"]
    load_of = layouts.groupby("ost")["part"].sum().sort_values()
    count = len(load_of)
    items["A12"] = {
        "osts": count,
        "leastOverMost": least_over_most(load_of),
        "filesLeastOverMost": least_over_most(layouts.groupby("ost")["file"].nunique()),
        "applicationsLeastOverMost": least_over_most(
            on_osts("application_id").groupby("ost")["application_id"].nunique()
        ),
        "usersLeastOverMost": least_over_most(on_osts("user_id").groupby("ost")["user_id"].nunique()),
        "gini": ((2 * np.arange(1, count + 1) - count - 1) * load_of).sum() / (count * load_of.sum()),
        "cov": load_of.std(ddof=0) / load_of.mean(),
        "p95OverP5": load_of.quantile(0.95) / load_of.quantile(0.05),
        "stripeWidth1": (layouts.groupby("file")["width"].max() == 1).mean(),
        "bytesOnOsts": load_of.sum(),
    }

    ranks = a.assign(
        SdBytes=np.sqrt(a["variance_bytes"].where(a["variance_bytes"] >= 0)),
        SdSeconds=np.sqrt(a["variance_seconds"].where(a["variance_seconds"] >= 0)),
    ).groupby(["file", "layer"], observed=True)
    layers = ranks[["bytes", "SdBytes", "SdSeconds"]].mean().rename(columns={"bytes": "BytesPerRun"})
    layers["n"] = ranks.size()
    means = layers.groupby("layer", observed=True).mean()
    sizes = layers.groupby("layer", observed=True)["n"].agg(["size", "sum"])
    items["A13"] = {}
    for name, key in [("POSIX", "posix"), ("MPI-IO", "mpiio"), ("STDIO", "stdio")]:
        if name not in means.index:
            continue
        items["A13"] |= {f"{key}Files": sizes.at[name, "size"], f"{key}Accesses": sizes.at[name, "sum"]}
        items["A13"] |= {key + column: means.at[name, column] for column in means.columns.drop("n")}

    a["hour"] = pd.to_datetime(a["start_unix_ns"], utc=True).dt.tz_convert(zone).dt.hour
    longest = a.groupby("file")["io"].transform("max")
    a["share"] = (a["io"] / longest).where(longest > 0)
    time_share = a.groupby("hour")["share"].mean()
    cells = cov(a.groupby(["file", "hour"])["io"]).dropna()
    hour_cov = cells.groupby("hour").mean()
    bytes_by_hour = a.groupby("hour")["bytes"].sum()
    both = pd.concat([time_share, hour_cov], axis=1, keys=["share", "cov"]).dropna()
    items["A14"] = {
        "spearman": both["share"].rank().corr(both["cov"].rank()) if len(both) >= 6 else np.nan,
        "hoursWithBoth": len(both),
        "peakHour": bytes_by_hour.idxmax(),
        "slowestHour": time_share.idxmax(),
        "steadiestHour": hour_cov.idxmin(),
        "meanCov": both["cov"].mean(),
        "lowestHourCov": both["cov"].min(),
        "bytes": bytes_by_hour.sum(),
        "cells": len(cells),
    }

    by_file = a.groupby("file")
    spread = pd.DataFrame({"Bytes": cov(by_file["bytes"]), "Time": cov(by_file["io"])})
    items["A15"] = {"below5PercentBytes": (spread["Bytes"].dropna() < 0.05).mean()}
    for side in spread.columns:
        of_class = spread[side].groupby(kind).mean().reindex([1, -1, 0])
        items["A15"] |= {
            f"meanCov{side}": spread[side].mean(),
            f"medianCov{side}": spread[side].median(),
            f"readHeavyMeanCov{side}": of_class[1],
            f"writeHeavyMeanCov{side}": of_class[-1],
            f"readWriteMeanCov{side}": of_class[0],
            f"files{side}": spread[side].count(),
        }
    # What the rest needs of all this.
    by_file = pd.DataFrame(
        {
            "class": kind,
            "readGap": gaps[1],
            "writeGap": gaps[-1],
            "readStreak": streaks[1],
            "writeStreak": streaks[-1],
            "applications": applications,
            "hours": pair_gaps.groupby("file").mean(),
            "pairs": pair_gaps.groupby("file").count(),
            "covTime": spread["Time"],
            "covBytes": spread["Bytes"],
        }
    )
    kept = {
        "selected": selected[["file_id", "mount", "r", "w", "total"]],
        "files": by_file,
        "runs": busy,
        "layers": layers,
        "hours": a.groupby(["file", "hour"])["share"].agg(["sum", "count"]).join(cells.rename("cov")),
    }
    return items, histogram, kept


def side_facts(calls, modules, selected):
    calls = included(calls)
    widths = calls.merge(selected[["file_id", "mount"]], on=["file_id", "mount"])
    widths = widths.groupby(["file_id", "mount"], observed=True)["stripe_count"].max()
    columns = ["reads", "writes", "sequential_reads", "sequential_writes"]
    sums = calls.loc[(calls["layer"] != "STDIO") & (calls[columns] >= 0).all(axis=1), columns].sum()
    sequential = sums["sequential_reads"] + sums["sequential_writes"]
    sets = modules["modules"].value_counts()
    lustre = sets[[("LUSTRE" in str(names).split()) for names in sets.index]].sum()
    return {
        "sequentialReads": sums["sequential_reads"] / sums["reads"],
        "sequentialWrites": sums["sequential_writes"] / sums["writes"],
        "sequential": sequential / (sums["reads"] + sums["writes"]),
        "stripeWidth1": (widths.dropna() == 1).mean(),
        "logsWithoutLustre": 1 - lustre / sets.sum(),
    }


def other_thresholds(selected):
    """Shares of the classes by other rules."""
    d = (selected["r"] - selected["w"]) / selected["total"]
    rules = [(d >= t, d <= -t) for t in CLASS_THRESHOLDS]
    read, written = selected["r"] >= CLASS_BYTES, selected["w"] >= CLASS_BYTES
    return [(r.mean(), w.mean()) for r, w in [*rules, (read & ~written, written & ~read)]]


def intervals(kept):
    """Bootstrap intervals of the numbers behind the findings, as drawn by hand in numpy."""
    rng = np.random.default_rng(1)
    low_high = lambda draws: np.nanpercentile(draws, [2.5, 97.5], axis=0).tolist()

    def weights(units):
        return rng.multinomial(units, np.full(units, 1 / units), size=DRAWS).astype("float64")

    def means(w, columns):
        values = np.column_stack([np.asarray(column, dtype="float64") for column in columns])
        known = ~np.isnan(values)
        return (w @ np.where(known, values, 0)) / (w @ known.astype("float64"))

    def weighted_quantile(w, values, share):
        values = np.asarray(values, dtype="float64")
        places = np.flatnonzero(~np.isnan(values))
        places = places[np.argsort(values[places])]
        heights = w[:, places].cumsum(axis=1)
        at = (heights < share * heights[:, -1:]).sum(axis=1)
        return values[places][np.minimum(at, len(places) - 1)]

    result = {}
    files = kept["files"]
    files = files.sample(min(SAMPLE_FILES, len(files)), random_state=1)
    w = weights(len(files))
    shared = files["applications"] >= 2
    m = means(
        w,
        [
            files["class"] == 0,
            files["class"] == 1,
            files["class"] == -1,
            files["readGap"],
            files["writeGap"],
            files["readStreak"],
            files["writeStreak"],
            files["readStreak"] >= 2,
            shared,
            (files["class"] == 0).where(shared).astype("float64"),
            files["hours"] * files["pairs"],
            files["pairs"].where(files["hours"].notna()),
            files["covTime"],
            files["covBytes"],
            files["covTime"].where(files["class"] == 1),
        ],
    )
    larger = np.maximum(m[:, 3] / m[:, 4], m[:, 4] / m[:, 3])
    result["files"] = low_high(
        np.column_stack(
            [
                m[:, 0],
                m[:, 1] / m[:, 2],
                weighted_quantile(w, files["readGap"], 0.8),
                weighted_quantile(w, files["writeGap"], 0.8),
                larger,
                m[:, 5] / m[:, 6],
                m[:, 7:10],
                m[:, 10] / m[:, 11],
                m[:, 12] / m[:, 13],
                m[:, 14] / m[:, 12],
            ]
        )
    )

    runs = kept["runs"].sample(min(SAMPLE_RUNS, len(kept["runs"])), random_state=1)
    x = (runs["r"] - runs["w"]).abs() / runs["bytes"]
    reads, writes = runs["r"] > runs["w"], runs["r"] < runs["w"]
    m = means(
        weights(len(runs)), [x >= 0.95, reads, writes, runs["bytes"].where(reads), runs["bytes"].where(writes)]
    )
    result["runs"] = low_high(np.column_stack([m[:, 0], m[:, 1] / m[:, 2], m[:, 4] / m[:, 3]]))

    layers = kept["layers"].unstack("layer").reindex(files.index)
    posix = [column for column in [("SdBytes", "POSIX"), ("BytesPerRun", "POSIX")] if column in layers]
    times = [column for column in [("SdSeconds", "POSIX"), ("SdSeconds", "MPI-IO")] if column in layers]
    for name, columns in [("time", times), ("bytes", posix)]:
        if len(columns) == 2:
            m = means(w, [layers[column] for column in columns])
            result[name] = low_high(m[:, 0] / m[:, 1])

    hours = kept["hours"].unstack("hour").reindex(files.index)
    shares = (w @ hours["sum"].fillna(0)).to_numpy() / (w @ hours["count"].fillna(0)).to_numpy()
    covs = means(w, [hours["cov"][hour] for hour in hours["cov"].columns])
    both = ~np.isnan(shares) & ~np.isnan(covs)
    x, y = (pd.DataFrame(np.where(both, values, np.nan)).rank(axis=1) for values in (shares, covs))
    result["hours"] = low_high(np.column_stack([x.corrwith(y, axis=1), np.nanmean(covs, axis=1)]))
    return result


def plain(value):
    number = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(number, float) and np.isnan(number) else number


def main(folder, zone):
    at_import = address_space("VmSize")
    began = time.perf_counter()
    tables = load(folder)
    loaded = time.perf_counter()
    items, histogram, kept = compute(*tables, zone)
    computed = time.perf_counter()
    del tables
    items["A16"] = side_facts(*load_side(folder), kept["selected"])
    thresholds = other_thresholds(kept["selected"])
    ranges = intervals(kept)
    ended = time.perf_counter()
    print(
        json.dumps(
            {
                "pandas": pd.__version__,
                "load": loaded - began,
                "compute": computed - loaded,
                "rest": ended - computed,
                "spaceAtImport": at_import,
                "spaceAtMost": address_space("VmPeak"),
                "items": {
                    item: {key: plain(value) for key, value in values.items()} for item, values in items.items()
                },
                "thresholds": thresholds,
                "intervals": ranges,
                "histogram": [[int(x), int(y), int(n)] for (x, y), n in histogram.items()],
            }
        )
    )


main(*sys.argv[1:])
