// The options of sbatch, srun and salloc, one row per line.
#include "cli/options/option_table.h"

#include <array>

#include "cli/options/options_values.h"
#include "cli/options/submitter.h"

namespace muster::cli {

namespace {

constexpr std::uint8_t B = static_cast<std::uint8_t>(Client::sbatch);
constexpr std::uint8_t R = static_cast<std::uint8_t>(Client::srun);
constexpr std::uint8_t A = static_cast<std::uint8_t>(Client::salloc);
constexpr std::uint8_t kAll = B | R | A;
constexpr std::uint8_t own = kOwnOption;
constexpr Argument none = Argument::none, required = Argument::required,
                   optional = Argument::optional;
using O = JobOptions;
using S = JobRequest;
using T = TaskOptions;

// Sorted by name. The commands handle help, usage and version before they apply options.
// clang-format off
constexpr auto kRows = std::to_array<OptionRow>({
{"accel-bind", 0, R, required, accel_bind, "types", "bind tasks to nearby GPUs: g"},
{"account", 'A', kAll, required, text<&S::account>, "name", "account to charge", "SBATCH_ACCOUNT", "SLURM_ACCOUNT", "SALLOC_ACCOUNT"},
{"acctg-freq", 0, kAll, required, acctg_freq, "type=seconds", "how often usage is sampled (kept; nodes use slurm.conf)", "SBATCH_ACCTG_FREQ", "SLURM_ACCTG_FREQ", "SALLOC_ACCTG_FREQ"},
{"array", 'a', B, required, text<&S::array>, "indices", "one task per index: 0-9, 1,3,7, 0-20:5, with %N at most N at once", "SBATCH_ARRAY_INX"},
{"async", 0, R | own, none, flag<&O::async>, "", "queue the step and return at once; its output goes to a file", {}, "SLURM_ASYNC"},
{"batch", 0, B, required, text<&S::batch_features>, "features", "features of the node that runs the script", "SBATCH_BATCH"},
{"bb", 0, kAll, required, burst_buffer, "spec", "burst buffer request, kept with the job", {}, "SLURM_BURST_BUFFER", "SALLOC_BURST_BUFFER"},
{"bbf", 0, kAll, required, burst_buffer_file, "file", "file with a burst buffer request"},
{"bcast", 0, R, optional, optional_text<&O::bcast>, "path", "copy the program to the nodes first", {}, "SLURM_BCAST"},
{"bcast-exclude", 0, R, required, text<&O::bcast_exclude>, "paths", "directories whose libraries --send-libs leaves out, or NONE", {}, "SLURM_BCAST_EXCLUDE"},
{"begin", 'b', kAll, required, date<&S::begin>, "time", "not before this time: 16:00, 2027-01-20T12:34, now+1hour"},
{"bell", 0, A, none, flag<&O::bell>, "", "ring the terminal's bell when the job has its nodes", {}, {}, "SALLOC_BELL"},
{"chdir", 'D', kAll, required, text<&S::work_dir>, "directory", "working directory of the job", {}, "SLURM_WORKING_DIR SLURM_REMOTE_CWD"},
{"chunk", 0, B | own, required, chunk, "length[,max=n]", "run in pieces of this length under one id, each after a notice: 6h, 90m,max=20", "SBATCH_CHUNK"},
{"cluster", 0, kAll, required, text<&O::clusters>, "names", ""},
{"cluster-constraint", 0, kAll, required, ignored, "features", "clusters of a federation that may run the job"},
{"clusters", 'M', kAll, required, text<&O::clusters>, "names", "cluster to send the job to", "SBATCH_CLUSTERS SLURM_CLUSTERS", "SLURM_CLUSTERS", "SALLOC_CLUSTERS SLURM_CLUSTERS"},
{"comment", 0, kAll, required, text<&S::comment>, "text", "a remark kept with the job"},
{"compress", 0, R, optional, compress, "type", "compress the file that --bcast sends", {}, "SLURM_COMPRESS"},
{"constraint", 'C', kAll, required, features<&S::features>, "features", "features that the nodes must have: a&b, a|b", "SBATCH_CONSTRAINT", "SLURM_CONSTRAINT", "SALLOC_CONSTRAINT"},
{"container", 0, kAll, required, container, "path", "OCI bundle, kept with the job; no runtime starts", "SBATCH_CONTAINER", "SRUN_CONTAINER", "SALLOC_CONTAINER"},
{"context", 0, kAll, required, ignored, "context", ""},
{"contiguous", 0, kAll, none, flag<&S::contiguous>, "", "nodes that are next to each other"},
{"core-spec", 'S', kAll, required, number<&S::core_spec, 0>, "cores", "cores per node left to the system, if the site allows it", "SBATCH_CORE_SPEC", "SLURM_CORE_SPEC", "SALLOC_CORE_SPEC"},
{"cores-per-socket", 0, kAll, required, number<&S::cores_per_socket>, "cores", "nodes with at least this many cores per socket"},
{"cpu-bind", 0, R, required, cpu_bind, "how", "bind tasks to CPUs: none, rank, threads, cores, sockets, ldoms, map_cpu:list, mask_cpu:list, with verbose, in front", {}, "SLURM_CPU_BIND"},
{"cpu-freq", 0, kAll, required, cpu_freq, "min[-max[:gov]]", "frequency of the CPUs; passed to the tasks, not set", "SBATCH_CPU_FREQ_REQ", "SLURM_CPU_FREQ_REQ", "SALLOC_CPU_FREQ_REQ"},
{"cpu_bind", 0, R, required, cpu_bind, "how", ""},
{"cpus-per-gpu", 0, kAll, required, number<&S::cpus_per_gpu>, "n", "CPUs for each GPU", "SBATCH_CPUS_PER_GPU", "SLURM_CPUS_PER_GPU", "SALLOC_CPUS_PER_GPU"},
{"cpus-per-task", 'c', kAll, required, number<&S::cpus_per_task>, "n", "CPUs for each task", {}, "SRUN_CPUS_PER_TASK"},
{"deadline", 0, kAll, required, date<&S::deadline>, "time", "cancel the job if it cannot end before this time"},
{"debugger-test", 0, R, none, flag<&T::stopped>, "", "start the tasks stopped for a debugger, and list them"},
{"delay-boot", 0, kAll, required, delay_boot, "minutes", "accepted; no features make nodes reboot", "SBATCH_DELAY_BOOT", "SLURM_DELAY_BOOT", "SALLOC_DELAY_BOOT"},
{"dependency", 'd', kAll, required, text<&S::dependency>, "type:id[:id...]", "wait for other jobs: after, afterany, afterok, afternotok, aftercorr, singleton", {}, "SLURM_DEPENDENCY"},
{"disable-status", 'X', R, none, flag<&O::disable_status>, "", "send the first Ctrl-C to the tasks", {}, "SLURM_DISABLE_STATUS"},
{"distribution", 'm', kAll, required, distribution, "how", "distribution of tasks over nodes and sockets", "SBATCH_DISTRIBUTION", "SLURM_DISTRIBUTION"},
{"epilog", 0, R, required, text<&O::epilog>, "program", "program that srun runs after the step", {}, "SLURM_EPILOG"},
{"error", 'e', B|R, required, text<&S::std_err>, "file", "standard error goes to this file", "SBATCH_ERROR", "SLURM_STDERRMODE"},
{"exact", 0, R, none, flag<&O::exact>, "", "the step takes only the CPUs of its tasks", {}, "SLURM_EXACT"},
{"exclude", 'x', kAll, required, exclude_list, "nodes", "nodes that must not be used"},
{"exclusive", 0, kAll, optional, exclusive, "user|mcs", "share no node with other jobs", "SBATCH_EXCLUSIVE", "SLURM_EXCLUSIVE", "SALLOC_EXCLUSIVE"},
{"export", 0, B|R, required, text<&O::export_list>, "names", "variables that the job gets: ALL, NONE, A,B=value", "SBATCH_EXPORT", "SRUN_EXPORT_ENV SLURM_EXPORT_ENV"},
{"export-file", 0, B, required, text<&O::export_file>, "file|fd", "variables that the job gets, from a file"},
{"extra-node-info", 'B', kAll, required, extra_node_info, "s[:c[:t]]", "sockets, cores and threads that nodes must have"},
{"get-user-env", 0, B|A, optional, get_user_env, "timeout", "take the environment of a login of the user", "SBATCH_GET_USER_ENV"},
{"gid", 0, kAll, required, run_as_group, "group", "run the job with this group (root)"},
{"gpu-bind", 0, kAll, required, gpu_bind, "how", "GPUs that each task sees: single:n, per_task:n, map_gpu:list, mask_gpu:list, closest, none", "SBATCH_GPU_BIND", "SLURM_GPU_BIND", "SALLOC_GPU_BIND"},
{"gpu-freq", 0, kAll, required, gpu_freq, "freq", "frequency of the GPUs; passed to the tasks, not set", "SBATCH_GPU_FREQ", "SLURM_GPU_FREQ", "SALLOC_GPU_FREQ"},
{"gpus", 'G', kAll, required, text<&S::gpus>, "n", "GPUs of the whole job (n = [type:]count,...)", "SBATCH_GPUS", "SLURM_GPUS", "SALLOC_GPUS"},
{"gpus-per-node", 0, kAll, required, text<&S::gpus_per_node>, "[type:]n[,...]", "GPUs on each node", "SBATCH_GPUS_PER_NODE", "SLURM_GPUS_PER_NODE", "SALLOC_GPUS_PER_NODE"},
{"gpus-per-socket", 0, kAll, required, text<&S::gpus_per_socket>, "[type:]n[,...]", "GPUs on each socket"},
{"gpus-per-task", 0, kAll, required, text<&S::gpus_per_task>, "[type:]n[,...]", "GPUs for each task", "SBATCH_GPUS_PER_TASK", "SLURM_GPUS_PER_TASK", "SALLOC_GPUS_PER_TASK"},
{"gres", 0, kAll, required, gres, "name[:type]:n,...", "generic resources on each node; help lists them", "SBATCH_GRES", "SLURM_STEP_GRES SLURM_GRES", "SALLOC_GRES"},
{"gres-flags", 0, kAll, required, gres_flags, "flag", "CPUs close to the job's GPUs: enforce-binding, disable-binding", "SBATCH_GRES_FLAGS", "SLURM_GRES_FLAGS", "SALLOC_GRES_FLAGS"},
{"help", 'h', kAll, none, ignored, "", "show this list"},
{"het-group", 0, R, required, ignored, "groups", "components of a heterogeneous job to run in"},
{"hint", 0, kAll, required, hint, "type", "kind of program: compute_bound, memory_bound, multithread", "SBATCH_HINT SLURM_HINT", "SLURM_HINT", "SALLOC_HINT SLURM_HINT"},
{"hold", 'H', kAll, none, flag<&S::hold>, "", "submit the job held"},
{"ignore-pbs", 0, B, none, flag<&O::ignore_pbs>, "", "do not warn about #PBS and #BSUB lines", "SBATCH_IGNORE_PBS"},
{"immediate", 'I', R|A, optional, number_or<&O::immediate_s, 1>, "seconds", "give up if it cannot start within this time", {}, "SLURM_IMMEDIATE", "SALLOC_IMMEDIATE"},
{"input", 'i', B|R, required, text<&S::std_in>, "file", "standard input comes from this file", "SBATCH_INPUT", "SLURM_STDINMODE"},
{"interactive", 0, R, none, flag<&O::interactive>, "", ""},
{"job-name", 'J', kAll, required, text<&S::name>, "name", "name of the job", "SBATCH_JOB_NAME", "SLURM_JOB_NAME", "SALLOC_JOB_NAME"},
{"jobid", 0, R, required, number<&O::job_id>, "id", "start the step in this job", {}, "SLURM_JOB_ID"},
{"kill-command", 'K', A, optional, text<&O::kill_command>, "signal", "signal the command when the allocation ends", {}, {}, "SALLOC_KILL_CMD"},
{"kill-on-bad-exit", 'K', R, optional, number_or<&O::kill_on_bad_exit, 1>, "0|1", "end the step when a task fails", {}, "SLURM_KILL_BAD_EXIT"},
{"kill-on-invalid-dep", 0, B, required, kill_on_invalid_dep, "yes|no", "cancel the job when its dependency can never be fulfilled"},
{"label", 'l', R, none, flag<&T::label>, "", "print the task's rank before each line", {}, "SLURM_LABELIO"},
{"licenses", 'L', kAll, required, text<&S::licenses>, "name:n,...", "licenses that the job holds"},
{"mail-type", 0, kAll, required, mail_type, "types", "when to send mail: BEGIN, END, FAIL, REQUEUE, ALL, TIME_LIMIT"},
{"mail-user", 0, kAll, required, text<&S::mail_user>, "user", "recipients of mail"},
{"mcs-label", 0, kAll, required, text<&S::mcs_label>, "label", "security label, kept with the job"},
{"mem", 0, kAll, required, memory<&S::memory_per_node_mib>, "size[KMGT]", "memory on each node; 0 = all of it", "SBATCH_MEM_PER_NODE", "SLURM_MEM_PER_NODE", "SALLOC_MEM_PER_NODE"},
{"mem-bind", 0, kAll, required, mem_bind, "how", "bind tasks to memory: none, rank, local, map_mem:list, mask_mem:list, with verbose, prefer, in front", "SBATCH_MEM_BIND", "SLURM_MEM_BIND", "SALLOC_MEM_BIND"},
{"mem-per-cpu", 0, kAll, required, memory<&S::memory_per_cpu_mib>, "size[KMGT]", "memory for each CPU", "SBATCH_MEM_PER_CPU", "SLURM_MEM_PER_CPU", "SALLOC_MEM_PER_CPU"},
{"mem-per-gpu", 0, kAll, required, memory<&S::memory_per_gpu_mib>, "size[KMGT]", "memory for each GPU", "SBATCH_MEM_PER_GPU", "SLURM_MEM_PER_GPU", "SALLOC_MEM_PER_GPU"},
{"mincpus", 0, kAll, required, number<&S::min_cpus_per_node>, "n", "nodes with at least this many CPUs"},
{"mpi", 0, R, required, text<&O::mpi>, "type", "kind of MPI start-up: none, pmi2, pmix, list", {}, "SLURM_MPI_TYPE"},
{"msg-timeout", 0, R, required, number<&O::msg_timeout_s>, "seconds", "accepted; it has no effect"},
{"multi-prog", 0, R, none, flag<&O::multi_prog>, "", "a file says which program each rank runs"},
{"network", 0, kAll, required, text<&S::network>, "type", "network settings, kept with the job", "SBATCH_NETWORK", "SLURM_NETWORK", "SALLOC_NETWORK"},
{"nice", 0, kAll, optional, nice, "n", "lower the priority by this much"},
{"no-allocate", 'Z', R, none, flag<&O::no_allocate>, "", "run on the nodes of -w without an allocation (root)"},
{"no-bell", 0, A, none, flag<&O::no_bell>, "", "never ring the bell", {}, {}, "SALLOC_NO_BELL"},
{"no-kill", 'k', kAll, optional, no_kill, "off", "continue when a node fails", "SBATCH_NO_KILL", "SLURM_NO_KILL", "SALLOC_NO_KILL"},
{"no-requeue", 0, B, none, no_requeue, "", "never start the job a second time", "SBATCH_NO_REQUEUE"},
{"no-shell", 0, A, none, flag<&O::no_shell>, "", "only allocate, without running a command"},
{"nodefile", 'F', kAll, required, node_file, "file", "nodes to use, from a file"},
{"nodelist", 'w', kAll, required, node_list, "nodes", "nodes that must be part of the job"},
{"nodes", 'N', kAll, required, nodes, "N", "number of nodes (N = min[-max])", {}, "SLURM_JOB_NUM_NODES"},
{"notice", 0, kAll | own, required, notice, "seconds", "tell the job this long before its time limit: MUSTER_STOP_NOTICE", "SBATCH_NOTICE", "SLURM_NOTICE", "SALLOC_NOTICE"},
{"ntasks", 'n', kAll, required, number<&S::num_tasks>, "n", "number of tasks", {}, "SLURM_NTASKS SLURM_NPROCS"},
{"ntasks-per-core", 0, kAll, required, number<&S::ntasks_per_core>, "n", "tasks on each core", {}, "SLURM_NTASKS_PER_CORE"},
{"ntasks-per-gpu", 0, kAll, required, number<&S::ntasks_per_gpu>, "n", "tasks for each GPU", {}, "SLURM_NTASKS_PER_GPU SLURM_NTASKS_PER_TRES"},
{"ntasks-per-node", 0, kAll, required, number<&S::ntasks_per_node>, "n", "tasks on each node", {}, "SLURM_NTASKS_PER_NODE"},
{"ntasks-per-socket", 0, kAll, required, number<&S::ntasks_per_socket>, "n", "tasks on each socket", {}, "SLURM_NTASKS_PER_SOCKET"},
{"ntasks-per-tres", 0, kAll, required, number<&S::ntasks_per_gpu>, "n", ""},
{"open-mode", 0, B|R, required, open_mode, "append|truncate", "append to or truncate existing output files", "SBATCH_OPEN_MODE", "SLURM_OPEN_MODE"},
{"output", 'o', B|R, required, text<&S::std_out>, "file", "standard output goes to this file; %j job, %x name, %A_%a array task", "SBATCH_OUTPUT", "SLURM_STDOUTMODE"},
{"overcommit", 'O', kAll, none, flag<&S::overcommit>, "", "allow more than one task per CPU", "SBATCH_OVERCOMMIT", "SLURM_OVERCOMMIT", "SALLOC_OVERCOMMIT"},
{"overlap", 0, R, none, flag<&O::overlap>, "", "share CPUs, memory and devices with other steps", {}, "SLURM_OVERLAP"},
{"oversubscribe", 's', kAll, none, oversubscribe, "", "allow other jobs on the same CPUs"},
{"pack-group", 0, R, required, ignored, "groups", ""},
{"parsable", 0, B|R, none, flag<&O::parsable>, "", "print only the id (and the cluster after a ;); srun: with --async"},
{"partition", 'p', kAll, required, partition_names, "names", "partition to run in", "SBATCH_PARTITION", "SLURM_PARTITION", "SALLOC_PARTITION"},
{"power", 0, kAll, required, power, "flags", "power flags, kept with the job", "SBATCH_POWER", "SLURM_POWER", "SALLOC_POWER"},
{"prefer", 0, kAll, required, features<&S::prefer>, "features", "features to try first, instead of those of --constraint"},
{"preserve-env", 'E', R, none, flag<&O::preserve_env>, "", "keep SLURM_NNODES and SLURM_NTASKS of the caller"},
{"priority", 0, kAll, required, priority, "n", "priority of the job (operators)"},
{"profile", 0, kAll, required, profile, "types", "passed to the tasks; no profile is written", "SBATCH_PROFILE", "SLURM_PROFILE", "SALLOC_PROFILE"},
{"prolog", 0, R, required, text<&O::prolog>, "program", "program that srun runs before the step", {}, "SLURM_PROLOG"},
{"propagate", 0, B|R, optional, propagate, "limits", "resource limits of this shell that the job gets"},
{"pty", 0, R, none, flag<&T::pty>, "", "run rank 0 in a pseudo terminal"},
{"qos", 'q', kAll, required, text<&S::qos>, "qos", "quality of service", "SBATCH_QOS", "SLURM_QOS", "SALLOC_QOS"},
{"quiet", 'Q', kAll, none, flag<&O::quiet>, "", "print errors only"},
{"quit-on-interrupt", 0, R, none, flag<&O::quit_on_interrupt>, "", "end at the first Ctrl-C"},
{"reboot", 0, kAll, none, flag<&S::reboot>, "", "reboot the nodes first (administrators)"},
{"relative", 'r', R, required, number<&O::relative, 0>, "n", "leave out the first n nodes of the job"},
{"rendezvous", 0, kAll | own, none, flag<&T::rendezvous>, "", "tell the tasks of each step where they can meet: MASTER_ADDR, MASTER_PORT, RANK, WORLD_SIZE", "SBATCH_RENDEZVOUS", "SLURM_RENDEZVOUS", "SALLOC_RENDEZVOUS"},
{"requeue", 0, B, none, requeue, "", "allow the job to be started again", "SBATCH_REQUEUE"},
{"reservation", 0, kAll, required, text<&S::reservation>, "names", "use a reservation", "SBATCH_RESERVATION", "SLURM_RESERVATION", "SALLOC_RESERVATION"},
{"resv-ports", 0, R, optional, resv_ports, "n", "reserve network ports for the step", {}, "SLURM_RESV_PORTS"},
{"retry", 0, B | own, required, retry, "n", "start the job again after a failure, up to n times, on other nodes if it can", "SBATCH_RETRY"},
{"retry-oom", 0, B | own, required, retry_oom, "factor", "start the job again with more memory after OUT_OF_MEMORY: 1.5x", "SBATCH_RETRY_OOM"},
{"send-libs", 0, R, optional, optional_text<&O::send_libs>, "yes|no", "with --bcast, copy the program's libraries too", {}, "SLURM_SEND_LIBS"},
{"signal", 0, kAll, required, signal, "[{B|R}:]sig[@seconds]", "send this signal before the time limit; B: only to the script, R: may use reserved nodes meanwhile", "SBATCH_SIGNAL", "SLURM_SIGNAL", "SALLOC_SIGNAL"},
{"slurmd-debug", 0, R, required, ignored, "level", "accepted; log levels are set with scontrol", {}, "SLURMD_DEBUG"},
{"sockets-per-node", 0, kAll, required, number<&S::sockets_per_node>, "n", "nodes with at least this many sockets"},
{"spread-job", 0, kAll, none, flag<&S::spread_job>, "", "use as many nodes as possible", "SBATCH_SPREAD_JOB", "SLURM_SPREAD_JOB", "SALLOC_SPREAD_JOB"},
{"switches", 0, kAll, required, switches, "n[@time]", "nodes below at most n leaf switches, if available within this time", "SBATCH_REQ_SWITCH", "SLURM_REQ_SWITCH", "SALLOC_REQ_SWITCH"},
{"task-epilog", 0, R, required, text<&T::task_epilog>, "program", "run after each task", {}, "SLURM_TASK_EPILOG"},
{"task-prolog", 0, R, required, text<&T::task_prolog>, "program", "run before each task", {}, "SLURM_TASK_PROLOG"},
{"tasks-per-node", 0, kAll, required, number<&S::ntasks_per_node>, "n", ""},
{"test-only", 0, B|R, none, flag<&O::test_only>, "", "print when and where the job would start, without submitting it"},
{"thread-spec", 0, kAll, required, number<&S::thread_spec, 0>, "threads", "threads per node left to the system, if the site allows it", "SBATCH_THREAD_SPEC", "SLURM_THREAD_SPEC", "SALLOC_THREAD_SPEC"},
{"threads", 'T', R, required, number<&O::threads>, "n", "accepted; it has no effect", {}, "SLURM_THREADS"},
{"threads-per-core", 0, kAll, required, number<&S::threads_per_core>, "n", "threads of a core to use", "SBATCH_THREADS_PER_CORE", "SLURM_THREADS_PER_CORE", "SALLOC_THREADS_PER_CORE"},
{"time", 't', kAll, required, time_limit<&S::time_limit>, "limit", "time limit: minutes, h:mm:ss, days-hours", "SBATCH_TIMELIMIT", "SLURM_TIMELIMIT", "SALLOC_TIMELIMIT"},
{"time-min", 0, kAll, required, time_limit<&S::time_min>, "limit", "shortest acceptable time limit"},
{"tmp", 0, kAll, required, memory<&S::tmp_disk_mib>, "size[KMGT]", "minimum disk space in the nodes' TmpFS"},
{"uid", 0, kAll, required, run_as_user, "user", "run the job as this user (root)"},
{"unbuffered", 'u', R, none, flag<&O::unbuffered>, "", "write output at once", {}, "SLURM_UNBUFFEREDIO"},
{"usage", 0, kAll, none, ignored, "", "show a short list of options"},
{"use-min-nodes", 0, kAll, none, flag<&S::use_min_nodes>, "", "prefer the smaller number of nodes of a range", "SBATCH_USE_MIN_NODES", "SLURM_USE_MIN_NODES", "SALLOC_USE_MIN_NODES"},
{"verbose", 'v', kAll, none, verbose, "", "print more messages", "SBATCH_DEBUG", "SLURM_DEBUG", "SALLOC_DEBUG"},
{"version", 'V', kAll, none, ignored, "", "show the version"},
{"wait", 'W', B, none, flag<&O::wait_for_end>, "", "wait for the job's end, and return its exit code", "SBATCH_WAIT"},
{"wait", 'W', R, required, number<&O::wait_s, 0>, "seconds", "end the step this long after the end of its first task", {}, "SLURM_WAIT"},
{"wait-all-nodes", 0, B|A, required, wait_all_nodes, "0|1", "accepted; jobs always begin when all their nodes are ready", "SBATCH_WAIT_ALL_NODES", {}, "SALLOC_WAIT_ALL_NODES"},
{"wckey", 0, kAll, required, text<&S::wckey>, "key", "workload key kept with the job", "SBATCH_WCKEY", "SLURM_WCKEY", "SALLOC_WCKEY"},
{"whole", 0, R, none, flag<&O::whole>, "", "the step takes everything that the job has on its nodes", {}, "SLURM_WHOLE"},
{"wrap", 0, B, required, wrap, "command", "run this shell command instead of a script"},
{"x11", 0, R|A, optional, x11, "where", "refused: X11 is not forwarded"},
});
// clang-format on

}  // namespace

std::string_view OptionRow::input_variables(Client client) const {
  switch (client) {
    case Client::sbatch:
      return sbatch_env;
    case Client::srun:
      return srun_env;
    case Client::salloc:
      return salloc_env;
  }
  return {};
}

std::span<const OptionRow> option_table() { return kRows; }

const OptionRow* find_option(Client client, std::string_view name) {
  for (const OptionRow& row : kRows)
    if (row.belongs_to(client) && row.name == name) return &row;
  return nullptr;
}

}  // namespace muster::cli
