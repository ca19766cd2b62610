/**
 * The tables of a store that tell of a file system: jobs of the scheduler with what their clients counted, what each job did
 * on each target in each minute, and what targets did as a whole. What was not recorded is NULL.
 */
import { columns, type TableSchema } from "./schema.ts";

export const storedJobs: TableSchema = {
  name: "jobs",
  row: "one job as seen by one source: the scheduler, or the counters of its nodes stored together",
  filledBy: "ingest of sacct, jobcomp and client readings; generate",
  columns: columns(`
    job_key u64 - | number of the job id, for joins | first eight bytes of the SHA-256 of job_id
    job_id text - | job number as SLURM_JOB_ID and Lustre's servers have it | sacct JobIDRaw; collector
    source text - | scheduler, clients, or both when one row holds everything | the importer
    cluster text - | cluster it ran on | sacct Cluster; collector
    user_id i64 - | user number | sacct UID; collector
    user_name text - | user | sacct User; collector
    account text - | account | sacct Account
    partition text - | partition | sacct Partition
    name text - | name of the job | sacct JobName
    state text - | how it ended, one word | sacct State
    nodes i64 nodes | nodes allocated | sacct NNodes; collector
    node_list text - | its nodes, folded as Slurm prints them: n[01-04,09] | sacct NodeList
    cpus i64 - | processors allocated | sacct NCPUS
    node_memory_bytes i64 bytes | memory of one of its nodes | collector
    submit_unix_ns i64 ns | when it was submitted, since 1970 UTC | sacct Submit
    start_unix_ns i64 ns | start, since 1970 UTC | sacct Start; first reading of a client
    end_unix_ns i64 ns | end, since 1970 UTC | sacct End; last reading of a client
    nodes_counted i64 nodes | nodes whose counters are in this row | collector
    nodes_dropped i64 nodes | nodes whose counters could not be used: no reading before, or counters that say nothing | collector
    bytes_read i64 bytes | bytes read by its clients | llite read_bytes, sum
    bytes_written i64 bytes | bytes written by its clients | llite write_bytes, sum
    reads i64 calls | read calls | llite read_bytes, samples
    writes i64 calls | write calls | llite write_bytes, samples
    opens i64 calls | opens | llite open
    closes i64 calls | closes | llite close
    mkdirs i64 calls | directories made | llite mkdir
    mknods i64 calls | files made | llite mknod
    links i64 calls | hard links made | llite link
    renames i64 calls | renames | llite rename
    rmdirs i64 calls | directories removed | llite rmdir
    unlinks i64 calls | files removed | llite unlink
    getattrs i64 calls | attributes read | llite getattr
    setattrs i64 calls | attributes set | llite setattr
    lnet_sent_bytes i64 bytes | bytes its nodes sent over LNet, everybody's | LNet send counter
    lnet_received_bytes i64 bytes | bytes its nodes received over LNet, everybody's | LNet receive counter
    warnings text - | what a reader should know, one per line | the importer
    node_warnings text - | those lines that are about nodes, as a JSON object: number of nodes by warning | collector
    synthetic flag - | 1 when it was generated, 0 when it was recorded on a machine | collector; README.txt of the folder
    zone text - | time zone of the site, such as Europe/Berlin; NULL when nobody said | ingest --zone
  `),
};

export const storedMinutes: TableSchema = {
  name: "minutes",
  row: "one job on one target between two samples, by the minute of the later one; several rows of one minute add up",
  filledBy: "ingest of job_stats, collector segments and Influx; generate",
  columns: columns(`
    job_key u64 - | number of the job id, for joins; the same number may be on several clusters | first eight bytes of the SHA-256 of job_id
    job_id text - | job number, else the id as the server knows it | job_stats job_id, taken apart by --job-id
    cluster text - | cluster of the job; missing: the counters do not say | ingest --cluster, %C of --job-id
    user_id i64 - | user number that the job id names | %u of --job-id
    node text - | node that the job id names | %h or %H of --job-id
    file_system text - | file system | name of the target
    target text - | OST or MDT, without the file system: OST0007 | path of the parameter
    minute_unix i64 min | minute since 1970 UTC in which the second reading was made | reading
    seconds f64 s | time between the two readings | readings
    bytes_read i64 bytes | bytes read | read_bytes, difference of sums
    bytes_written i64 bytes | bytes written | write_bytes, difference of sums
    reads i64 calls | read calls | read_bytes, difference of samples
    writes i64 calls | write calls | write_bytes, difference of samples
    opens i64 calls | opens | open, difference of samples
    closes i64 calls | closes | close, difference of samples
    mknods i64 calls | files made | mknod, difference of samples
    metadata_calls i64 calls | all metadata operations, with these | mdt job_stats, difference of samples
    links i64 calls | hard links made | link, difference of samples
    unlinks i64 calls | files removed | unlink, difference of samples
    mkdirs i64 calls | directories made | mkdir, difference of samples
    rmdirs i64 calls | directories removed | rmdir, difference of samples
    renames i64 calls | renames | rename, difference of samples
    getattrs i64 calls | attributes read | getattr, difference of samples
    setattrs i64 calls | attributes set | setattr, difference of samples
    getxattrs i64 calls | extended attributes read | getxattr, difference of samples
    setxattrs i64 calls | extended attributes set | setxattr, difference of samples
    statfs i64 calls | requests for the free space | statfs, difference of samples
    syncs i64 calls | syncs | sync, difference of samples
    read_usecs i64 us | time of the reads on the server, summed; divide by the reads of rows that have it | read [usecs], difference of sums
    write_usecs i64 us | time of the writes on the server, summed | write [usecs], difference of sums
    metadata_usecs i64 us | time of the metadata operations on the server, summed, as far as the release counts it | metadata counters in usecs, difference of sums
    why text - | how the difference came about when not by plain growth: begun, reset, restarted, wrapped, returned, suspect, gap | differences
  `),
};

export const storedTargets: TableSchema = {
  name: "targets",
  row: "what one OST or MDT did between two readings, for everybody",
  filledBy: "ingest of obdfilter stats, md_stats, collector segments and Influx; generate",
  columns: columns(`
    file_system text - | file system | name of the target
    target text - | OST or MDT, without the file system: MDT0003 | path of the parameter
    server text - | host that had it | collector
    minute_unix i64 min | minute since 1970 UTC in which the second reading was made | reading
    seconds f64 s | time between the two readings | readings
    bytes_read i64 bytes | bytes read | read_bytes, difference of sums
    bytes_written i64 bytes | bytes written | write_bytes, difference of sums
    reads i64 calls | read calls | read_bytes, difference of samples
    writes i64 calls | write calls | write_bytes, difference of samples
    opens i64 calls | opens | md_stats open, difference of samples
    closes i64 calls | closes | md_stats close, difference of samples
    mknods i64 calls | files made | md_stats mknod, difference of samples
    metadata_calls i64 calls | all metadata operations, with these | md_stats, difference of samples
    links i64 calls | hard links made | link, difference of samples
    unlinks i64 calls | files removed | unlink, difference of samples
    mkdirs i64 calls | directories made | mkdir, difference of samples
    rmdirs i64 calls | directories removed | rmdir, difference of samples
    renames i64 calls | renames | rename, difference of samples
    getattrs i64 calls | attributes read | getattr, difference of samples
    setattrs i64 calls | attributes set | setattr, difference of samples
    getxattrs i64 calls | extended attributes read | getxattr, difference of samples
    setxattrs i64 calls | extended attributes set | setxattr, difference of samples
    statfs i64 calls | requests for the free space | statfs, difference of samples
    syncs i64 calls | syncs | sync, difference of samples
    read_usecs i64 us | time of the reads on the server, summed; divide by the reads of rows that have it | stats read [usecs], difference of sums
    write_usecs i64 us | time of the writes on the server, summed | stats write [usecs], difference of sums
    metadata_usecs i64 us | time of the metadata operations on the server, summed, as far as the release counts it | metadata counters in usecs, difference of sums
    why text - | how the difference came about when not by plain growth | differences
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
    server text - | host that had it | collector
    from_unix_ns i64 ns | first reading of the stretch, since 1970 UTC; its values were there before and are no difference | reading
    to_unix_ns i64 ns | last reading, since 1970 UTC | reading
    readings i64 readings | differences between two readings | readings
    carried_in i64 counters | counters with a value at a first sample, of unknown age | differences
    gaps i64 readings | differences over more than one and a half of the usual time between readings | readings
    dropped i64 differences | differences of counters that no table has | differences
    warnings text - | what a reader should know, one per line | the importer
    synthetic flag - | 1 when it was generated, 0 when it was recorded on a machine | collector; README.txt of the folder
  `),
};

export const storedTargetStates: TableSchema = {
  name: "target_states",
  row: "one OST or MDT at one moment: how full it is, on which server, its clients and its recovery",
  filledBy: "ingest of collector segments; generate",
  columns: columns(`
    file_system text - | file system | name of the target
    target text - | OST or MDT, without the file system: OST0007 | path of the parameter
    server text - | host that has it | collector
    minute_unix i64 min | minute since 1970 UTC of the sample | collector
    from_unix_ns i64 ns | the sample before, since 1970 UTC; missing at the first | collector
    to_unix_ns i64 ns | the sample, since 1970 UTC | collector
    bytes_total i64 bytes | size of the target | kbytestotal
    bytes_free i64 bytes | free, with what is reserved | kbytesfree
    bytes_available i64 bytes | free for users | kbytesavail
    inodes_total i64 inodes | files or objects it can hold | filestotal
    inodes_free i64 inodes | files or objects that can still be made | filesfree
    clients i64 clients | connected clients and servers | num_exports
    evictions i64 clients | clients evicted since the sample before | eviction_count, difference
    recovery text - | COMPLETE, INACTIVE, RECOVERING, WAITING_FOR_CLIENTS or what the server says | recovery_status: status
    recovery_clients i64 clients | clients that take part in the recovery | recovery_status: completed_clients, connected_clients
    recovery_clients_done i64 clients | clients that have recovered | recovery_status: completed_clients
    synthetic flag - | 1 when it was generated, 0 when it was recorded on a machine | collector; README.txt of the folder
  `),
};

export const storedServers: TableSchema = {
  name: "servers",
  row: "one server between two samples: its health, its network and how long requests wait",
  filledBy: "ingest of collector segments; generate",
  columns: columns(`
    server text - | host | collector
    minute_unix i64 min | minute since 1970 UTC of the second sample | collector
    from_unix_ns i64 ns | the sample before, since 1970 UTC; missing at the first | collector
    to_unix_ns i64 ns | the sample, since 1970 UTC | collector
    seconds f64 s | time between the two samples | collector
    health text - | healthy, else what the server says | health_check
    lnet_errors i64 messages | messages with an error | lnet stats: errors, difference
    lnet_drops i64 messages | messages dropped | lnet stats: drop_count, difference
    lnet_sends i64 messages | messages sent | lnet stats: send_count, difference
    lnet_receives i64 messages | messages received | lnet stats: recv_count, difference
    lnet_sent_bytes i64 bytes | bytes sent | lnet stats: send_length, difference
    lnet_received_bytes i64 bytes | bytes received | lnet stats: recv_length, difference
    lnet_dropped_bytes i64 bytes | bytes dropped | lnet stats: drop_length, difference
    requests i64 requests | requests of clients that waited for a thread: I/O and metadata | req_waittime of ost_io, mdt and mdt_io, difference of samples
    request_wait_usecs i64 us | time that they waited before they were served, summed | req_waittime, difference of sums
    why text - | how the difference came about when not by plain growth | differences
    synthetic flag - | 1 when it was generated, 0 when it was recorded on a machine | collector; README.txt of the folder
  `),
};

export const storedExports: TableSchema = {
  name: "exports",
  row: "what one client did on one OST or MDT in about an hour",
  filledBy: "ingest of collector segments; generate",
  columns: columns(`
    file_system text - | file system | name of the target
    target text - | OST or MDT, without the file system: OST0007 | path of the parameter
    server text - | host that has it | collector
    client text - | network id of the client: 10.2.4.27@o2ib1 | path of the parameter
    hour_unix i64 h | hour since 1970 UTC of the second sample | collector
    from_unix_ns i64 ns | the sample before, since 1970 UTC | collector
    to_unix_ns i64 ns | the sample, since 1970 UTC | collector
    seconds f64 s | time between the two samples | collector
    bytes_read i64 bytes | bytes read | exports stats: read_bytes, difference of sums
    bytes_written i64 bytes | bytes written | exports stats: write_bytes, difference of sums
    reads i64 calls | read calls | exports stats: read_bytes, difference of samples
    writes i64 calls | write calls | exports stats: write_bytes, difference of samples
    opens i64 calls | opens | exports stats: open, difference of samples
    closes i64 calls | closes | exports stats: close, difference of samples
    metadata_calls i64 calls | all metadata operations, with these | exports stats, difference of samples
    why text - | how the difference came about when not by plain growth | differences
    synthetic flag - | 1 when it was generated, 0 when it was recorded on a machine | collector; README.txt of the folder
  `),
};

export const storedJobMounts: TableSchema = {
  name: "job_mounts",
  row: "what one job did on one mounted file system, from the nodes that were stored together",
  filledBy: "ingest of client readings",
  columns: columns(`
    job_key u64 - | number of the job id, for joins | first eight bytes of the SHA-256 of job_id
    job_id text - | job number | collector
    cluster text - | cluster it ran on | collector
    user_id i64 - | user number | collector
    user_name text - | user | collector
    kind text - | type of the file system: lustre, nfs or gpfs (IBM Storage Scale) | collector
    file_system text - | name of the file system; of NFS server:/export | llite folder; mountstats device; mmpmon _fs_
    mount text - | where it is mounted; missing where nodes have it in several places | mountstats
    nodes_counted i64 nodes | nodes whose counters are in this row | collector
    start_unix_ns i64 ns | first sample of a node, since 1970 UTC | collector
    end_unix_ns i64 ns | last sample of a node, since 1970 UTC | collector
    bytes_read i64 bytes | bytes read by programs | llite read_bytes, sum; mountstats bytes, normal and direct; mmpmon _br_
    bytes_written i64 bytes | bytes written by programs | llite write_bytes, sum; mountstats bytes, normal and direct; mmpmon _bw_
    reads i64 calls | read calls; of NFS read requests | llite read_bytes, samples; mountstats READ; mmpmon _rdc_
    writes i64 calls | write calls; of NFS write requests | llite write_bytes, samples; mountstats WRITE; mmpmon _wc_
    opens i64 calls | opens | llite open; mountstats events; mmpmon _oc_
    closes i64 calls | closes | llite close; mountstats events; mmpmon _cc_
    metadata_calls i64 calls | metadata operations, with these where the counters have them; of NFS requests | llite, sum of samples; mountstats; mmpmon _oc_, _cc_, _dir_
    read_usecs i64 us | time of the reads, summed | llite read [usecs]; mountstats READ
    write_usecs i64 us | time of the writes, summed | llite write [usecs]; mountstats WRITE
    retransmits i64 requests | requests that were sent again | mountstats transmissions beyond requests
    timeouts i64 requests | major timeouts of requests | mountstats
    server_bytes_read i64 bytes | bytes that came from the server: what caches did not have | mountstats bytes
    server_bytes_written i64 bytes | bytes that went to the server | mountstats bytes
    queue_usecs i64 us | time that requests of all kinds waited on the client, summed | mountstats
    round_trip_usecs i64 us | time from sending requests of all kinds to their answers, summed | mountstats
    inode_updates i64 calls | inodes written to disk | mmpmon _iu_
    synthetic flag - | 1 when it was generated, 0 when it was recorded on a machine | collector; README.txt of the folder
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
