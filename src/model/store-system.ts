/**
 * The tables of a store that tell of a file system: jobs of the scheduler with what their clients counted, what each job did
 * on each target in each minute, and what targets did as a whole. What was not recorded is NULL.
 */
import { columns, type TableSchema } from "./schema.ts";

export const storedJobs: TableSchema = {
  name: "jobs",
  row: "one job from one source: the scheduler, or the counters of its nodes stored together",
  filledBy: "ingest of sacct, jobcomp and client samples; generate",
  columns: columns(`
    job_key u64 - | number of the job id, for joins | first eight bytes of the SHA-256 of job_id
    job_id text - | job number, as in SLURM_JOB_ID and on Lustre servers | sacct JobIDRaw; collector
    source text - | scheduler, clients, or both when one row holds everything | the importer
    cluster text - | cluster it ran on | sacct Cluster; collector
    user_id i64 - | user number | sacct UID; collector
    user_name text - | user | sacct User; collector
    account text - | account | sacct Account
    partition text - | partition | sacct Partition
    name text - | name of the job | sacct JobName
    state text - | final state, one word | sacct State
    nodes i64 nodes | nodes allocated | sacct NNodes; collector
    node_list text - | its nodes, folded as Slurm prints them: n[01-04,09] | sacct NodeList
    cpus i64 - | processors allocated | sacct NCPUS
    node_memory_bytes i64 bytes | memory of one of its nodes | collector
    submit_unix_ns i64 ns | when it was submitted, since 1970 UTC | sacct Submit
    start_unix_ns i64 ns | start, since 1970 UTC | sacct Start; first sample of a client
    end_unix_ns i64 ns | end, since 1970 UTC | sacct End; last sample of a client
    nodes_counted i64 nodes | nodes whose counters are in this row | collector
    nodes_dropped i64 nodes | nodes whose counters could not be used: no sample before the job, or counters without meaning | collector
    bytes_read i64 bytes | bytes read by its clients | llite read_bytes, sum
    bytes_written i64 bytes | bytes written by its clients | llite write_bytes, sum
    reads i64 calls | read calls | llite read_bytes, samples
    writes i64 calls | write calls | llite write_bytes, samples
    opens i64 calls | opens | llite open
    closes i64 calls | closes | llite close
    mkdirs i64 calls | directories created | llite mkdir
    mknods i64 calls | files created | llite mknod
    links i64 calls | hard links created | llite link
    renames i64 calls | renames | llite rename
    rmdirs i64 calls | directories removed | llite rmdir
    unlinks i64 calls | files removed | llite unlink
    getattrs i64 calls | attributes read | llite getattr
    setattrs i64 calls | attributes set | llite setattr
    lnet_sent_bytes i64 bytes | bytes its nodes sent over LNet, for all processes | LNet send counter
    lnet_received_bytes i64 bytes | bytes its nodes received over LNet, for all processes | LNet receive counter
    warnings text - | warnings of the importer, one per line | the importer
    node_warnings text - | warnings about nodes, as a JSON object: number of nodes by warning | collector
    synthetic flag - | 1 when generated, 0 when recorded on a machine | collector; README.txt of the folder
    zone text - | time zone of the site, such as Europe/Berlin; NULL if not given | ingest --zone
  `),
};

export const storedMinutes: TableSchema = {
  name: "minutes",
  row: "one job on one target between two samples, by the minute of the later one; rows of the same minute add up",
  filledBy: "ingest of job_stats, collector segments and Influx; generate",
  columns: columns(`
    job_key u64 - | number of the job id, for joins; the same number may be on several clusters | first eight bytes of the SHA-256 of job_id
    job_id text - | job number, else the id as on the server | job_stats job_id, parsed by --job-id
    cluster text - | cluster of the job; missing if the counters do not name it | ingest --cluster, %C of --job-id
    user_id i64 - | user number from the job id | %u of --job-id
    node text - | node from the job id | %h or %H of --job-id
    file_system text - | file system | name of the target
    target text - | OST or MDT, without the file system: OST0007 | path of the parameter
    minute_unix i64 min | minute since 1970 UTC of the second sample | sample
    seconds f64 s | time between the two samples | samples
    bytes_read i64 bytes | bytes read | read_bytes, delta of sums
    bytes_written i64 bytes | bytes written | write_bytes, delta of sums
    reads i64 calls | read calls | read_bytes, delta of samples
    writes i64 calls | write calls | write_bytes, delta of samples
    opens i64 calls | opens | open, delta of samples
    closes i64 calls | closes | close, delta of samples
    mknods i64 calls | files created | mknod, delta of samples
    metadata_calls i64 calls | all metadata operations, including these | mdt job_stats, delta of samples
    links i64 calls | hard links created | link, delta of samples
    unlinks i64 calls | files removed | unlink, delta of samples
    mkdirs i64 calls | directories created | mkdir, delta of samples
    rmdirs i64 calls | directories removed | rmdir, delta of samples
    renames i64 calls | renames | rename, delta of samples
    getattrs i64 calls | attributes read | getattr, delta of samples
    setattrs i64 calls | attributes set | setattr, delta of samples
    getxattrs i64 calls | extended attributes read | getxattr, delta of samples
    setxattrs i64 calls | extended attributes set | setxattr, delta of samples
    statfs i64 calls | requests for the free space | statfs, delta of samples
    syncs i64 calls | syncs | sync, delta of samples
    read_usecs i64 us | time of the reads on the server, summed; divide by the reads of rows that have it | read [usecs], delta of sums
    write_usecs i64 us | time of the writes on the server, summed | write [usecs], delta of sums
    metadata_usecs i64 us | time of the metadata operations on the server, summed, if the release counts it | metadata counters in usecs, delta of sums
    why text - | how the delta arose if not by plain growth: begun, reset, restarted, wrapped, returned, suspect, gap | deltas
  `),
};

export const storedTargets: TableSchema = {
  name: "targets",
  row: "what one OST or MDT did between two samples, for all clients",
  filledBy: "ingest of obdfilter stats, md_stats, collector segments and Influx; generate",
  columns: columns(`
    file_system text - | file system | name of the target
    target text - | OST or MDT, without the file system: MDT0003 | path of the parameter
    server text - | its server | collector
    minute_unix i64 min | minute since 1970 UTC of the second sample | sample
    seconds f64 s | time between the two samples | samples
    bytes_read i64 bytes | bytes read | read_bytes, delta of sums
    bytes_written i64 bytes | bytes written | write_bytes, delta of sums
    reads i64 calls | read calls | read_bytes, delta of samples
    writes i64 calls | write calls | write_bytes, delta of samples
    opens i64 calls | opens | md_stats open, delta of samples
    closes i64 calls | closes | md_stats close, delta of samples
    mknods i64 calls | files created | md_stats mknod, delta of samples
    metadata_calls i64 calls | all metadata operations, including these | md_stats, delta of samples
    links i64 calls | hard links created | link, delta of samples
    unlinks i64 calls | files removed | unlink, delta of samples
    mkdirs i64 calls | directories created | mkdir, delta of samples
    rmdirs i64 calls | directories removed | rmdir, delta of samples
    renames i64 calls | renames | rename, delta of samples
    getattrs i64 calls | attributes read | getattr, delta of samples
    setattrs i64 calls | attributes set | setattr, delta of samples
    getxattrs i64 calls | extended attributes read | getxattr, delta of samples
    setxattrs i64 calls | extended attributes set | setxattr, delta of samples
    statfs i64 calls | requests for the free space | statfs, delta of samples
    syncs i64 calls | syncs | sync, delta of samples
    read_usecs i64 us | time of the reads on the server, summed; divide by the reads of rows that have it | stats read [usecs], delta of sums
    write_usecs i64 us | time of the writes on the server, summed | stats write [usecs], delta of sums
    metadata_usecs i64 us | time of the metadata operations on the server, summed, if the release counts it | metadata counters in usecs, delta of sums
    why text - | how the delta arose if not by plain growth | deltas
  `),
};

export const storedReadings: TableSchema = {
  name: "readings",
  row: "a time interval with counters of one target in the store; outside of these the load is unknown, not zero",
  filledBy: "ingest of job_stats, stats, collector segments and Influx; generate",
  columns: columns(`
    file_system text - | file system | name of the target
    target text - | OST or MDT, without the file system | path of the parameter
    kind text - | job_stats, ost_stats or md_stats | path of the parameter
    server text - | its server | collector
    from_unix_ns i64 ns | first sample of the interval, since 1970 UTC; its values are the starting point, not a delta | sample
    to_unix_ns i64 ns | last sample, since 1970 UTC | sample
    readings i64 readings | deltas between two samples | samples
    carried_in i64 counters | counters with a value at a first sample, of unknown age | deltas
    gaps i64 readings | deltas over more than 1.5 times the usual sampling interval | samples
    dropped i64 differences | counter deltas dropped (no column) | deltas
    warnings text - | warnings of the importer, one per line | the importer
    synthetic flag - | 1 when generated, 0 when recorded on a machine | collector; README.txt of the folder
  `),
};

export const storedTargetStates: TableSchema = {
  name: "target_states",
  row: "one OST or MDT at one time: fill level, server, clients and recovery",
  filledBy: "ingest of collector segments; generate",
  columns: columns(`
    file_system text - | file system | name of the target
    target text - | OST or MDT, without the file system: OST0007 | path of the parameter
    server text - | its server | collector
    minute_unix i64 min | minute since 1970 UTC of the sample | collector
    from_unix_ns i64 ns | the previous sample, since 1970 UTC; missing at the first | collector
    to_unix_ns i64 ns | the sample, since 1970 UTC | collector
    bytes_total i64 bytes | size of the target | kbytestotal
    bytes_free i64 bytes | free, including reserved space | kbytesfree
    bytes_available i64 bytes | free for users | kbytesavail
    inodes_total i64 inodes | max number of files or objects | filestotal
    inodes_free i64 inodes | files or objects that can still be created | filesfree
    clients i64 clients | connected clients and servers | num_exports
    evictions i64 clients | clients evicted since the previous sample | eviction_count, difference
    recovery text - | COMPLETE, INACTIVE, RECOVERING, WAITING_FOR_CLIENTS or another status of the server | recovery_status: status
    recovery_clients i64 clients | clients that take part in the recovery | recovery_status: completed_clients, connected_clients
    recovery_clients_done i64 clients | clients that have recovered | recovery_status: completed_clients
    synthetic flag - | 1 when generated, 0 when recorded on a machine | collector; README.txt of the folder
  `),
};

export const storedServers: TableSchema = {
  name: "servers",
  row: "one server between two samples: health, network and waiting time of requests",
  filledBy: "ingest of collector segments; generate",
  columns: columns(`
    server text - | host | collector
    minute_unix i64 min | minute since 1970 UTC of the second sample | collector
    from_unix_ns i64 ns | the previous sample, since 1970 UTC; missing at the first | collector
    to_unix_ns i64 ns | the sample, since 1970 UTC | collector
    seconds f64 s | time between the two samples | collector
    health text - | healthy, else the message of the server | health_check
    lnet_errors i64 messages | messages with an error | lnet stats: errors, difference
    lnet_drops i64 messages | messages dropped | lnet stats: drop_count, difference
    lnet_sends i64 messages | messages sent | lnet stats: send_count, difference
    lnet_receives i64 messages | messages received | lnet stats: recv_count, difference
    lnet_sent_bytes i64 bytes | bytes sent | lnet stats: send_length, difference
    lnet_received_bytes i64 bytes | bytes received | lnet stats: recv_length, difference
    lnet_dropped_bytes i64 bytes | bytes dropped | lnet stats: drop_length, difference
    requests i64 requests | requests of clients that waited for a thread: I/O and metadata | req_waittime of ost_io, mdt and mdt_io, delta of samples
    request_wait_usecs i64 us | time that they waited for service, summed | req_waittime, delta of sums
    why text - | how the delta arose if not by plain growth | deltas
    synthetic flag - | 1 when generated, 0 when recorded on a machine | collector; README.txt of the folder
  `),
};

export const storedExports: TableSchema = {
  name: "exports",
  row: "what one client did on one OST or MDT in about an hour",
  filledBy: "ingest of collector segments; generate",
  columns: columns(`
    file_system text - | file system | name of the target
    target text - | OST or MDT, without the file system: OST0007 | path of the parameter
    server text - | its server | collector
    client text - | network id of the client: 10.2.4.27@o2ib1 | path of the parameter
    hour_unix i64 h | hour since 1970 UTC of the second sample | collector
    from_unix_ns i64 ns | the previous sample, since 1970 UTC | collector
    to_unix_ns i64 ns | the sample, since 1970 UTC | collector
    seconds f64 s | time between the two samples | collector
    bytes_read i64 bytes | bytes read | exports stats: read_bytes, delta of sums
    bytes_written i64 bytes | bytes written | exports stats: write_bytes, delta of sums
    reads i64 calls | read calls | exports stats: read_bytes, delta of samples
    writes i64 calls | write calls | exports stats: write_bytes, delta of samples
    opens i64 calls | opens | exports stats: open, delta of samples
    closes i64 calls | closes | exports stats: close, delta of samples
    metadata_calls i64 calls | all metadata operations, including these | exports stats, delta of samples
    why text - | how the delta arose if not by plain growth | deltas
    synthetic flag - | 1 when generated, 0 when recorded on a machine | collector; README.txt of the folder
  `),
};

export const storedJobMounts: TableSchema = {
  name: "job_mounts",
  row: "what one job did on one mounted file system, from nodes stored together",
  filledBy: "ingest of client samples",
  columns: columns(`
    job_key u64 - | number of the job id, for joins | first eight bytes of the SHA-256 of job_id
    job_id text - | job number | collector
    cluster text - | cluster it ran on | collector
    user_id i64 - | user number | collector
    user_name text - | user | collector
    kind text - | type of the file system: lustre, nfs or gpfs (IBM Storage Scale) | collector
    file_system text - | name of the file system; for NFS server:/export | llite folder; mountstats device; mmpmon _fs_
    mount text - | mount point; missing if nodes have several | mountstats
    nodes_counted i64 nodes | nodes whose counters are in this row | collector
    start_unix_ns i64 ns | first sample of a node, since 1970 UTC | collector
    end_unix_ns i64 ns | last sample of a node, since 1970 UTC | collector
    bytes_read i64 bytes | bytes read by programs | llite read_bytes, sum; mountstats bytes, normal and direct; mmpmon _br_
    bytes_written i64 bytes | bytes written by programs | llite write_bytes, sum; mountstats bytes, normal and direct; mmpmon _bw_
    reads i64 calls | read calls; for NFS, read requests | llite read_bytes, samples; mountstats READ; mmpmon _rdc_
    writes i64 calls | write calls; for NFS, write requests | llite write_bytes, samples; mountstats WRITE; mmpmon _wc_
    opens i64 calls | opens | llite open; mountstats events; mmpmon _oc_
    closes i64 calls | closes | llite close; mountstats events; mmpmon _cc_
    metadata_calls i64 calls | metadata operations, including these if the counters have them; for NFS, requests | llite, sum of samples; mountstats; mmpmon _oc_, _cc_, _dir_
    read_usecs i64 us | time of the reads, summed | llite read [usecs]; mountstats READ
    write_usecs i64 us | time of the writes, summed | llite write [usecs]; mountstats WRITE
    retransmits i64 requests | retransmitted requests | mountstats transmissions beyond requests
    timeouts i64 requests | major timeouts of requests | mountstats
    server_bytes_read i64 bytes | bytes from the server, after cache hits | mountstats bytes
    server_bytes_written i64 bytes | bytes to the server | mountstats bytes
    queue_usecs i64 us | time that requests of all kinds waited on the client, summed | mountstats
    round_trip_usecs i64 us | time from sending a request of any kind to its reply, summed | mountstats
    inode_updates i64 calls | inodes written to disk | mmpmon _iu_
    synthetic flag - | 1 when generated, 0 when recorded on a machine | collector; README.txt of the folder
  `),
};

export const SYSTEM_SCHEMA: readonly TableSchema[] = [
  storedJobs,
  storedMinutes,
  storedTargets,
  storedReadings,
  storedTargetStates,
  storedServers,
  storedExports,
  storedJobMounts,
];
