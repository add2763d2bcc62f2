// salloc: gets an allocation, runs a command or a shell in it on this machine, and gives it back.
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/signals.h"
#include "base/text/strings.h"
#include "cli/allocation/allocation.h"
#include "cli/allocation/exits.h"
#include "cli/lib/command.h"
#include "cli/lib/name_service.h"
#include "cli/options/components.h"
#include "cli/options/environment.h"
#include "cli/options/gres_help.h"
#include "cli/options/submitter.h"
#include "cli/options/usage.h"
#include "cli/salloc/command.h"
#include "cli/tables/lists.h"
#include "io/process/login_shell.h"
#include "model/job/task_count.h"
#include "model/node/resources.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "salloc";
constexpr Seconds kBellAfter{10};
constexpr Seconds kReconnectEvery{1};

struct SallocPlan {
  std::vector<JobOptions> components;  // one per component
  std::vector<std::string> argv;       // empty = the default command
  int kill_signal = 0;                 // -K; 0 = none

  // Options of the whole job may be given for any component; the last component has all of them.
  const JobOptions& options() const { return components.back(); }
};

std::vector<std::string> login_shell() {
  if (const char* shell = std::getenv("SHELL"); shell && *shell) return {shell};
  if (auto user = user_with(Uid{getuid()}); user && !user->shell.empty()) return {user->shell};
  return {"/bin/sh"};
}

// The command if none was given: a shell here, or a shell on the first node
// (LaunchParameters=use_interactive_step).
std::vector<std::string> default_command(const ClientConfig& config) {
  if (!config.uses_interactive_step) return login_shell();
  setenv("SHELL", login_shell().front().c_str(), 1);
  return {"/bin/sh", "-c", "exec srun " + config.interactive_step};
}

std::expected<JobOptions, Refusal> read_component(const ParsedWords& words,
                                                  const JobOptions* previous,
                                                  const std::string& submit_line) {
  JobOptions options(Client::salloc, std::chrono::floor<Millis>(std::chrono::system_clock::now()));
  if (previous)
    if (auto done = inherit(options, *previous); !done) return std::unexpected(done.error());
  auto environment = apply_environment(options, [](const char* name) { return std::getenv(name); });
  if (!environment) return std::unexpected(environment.error());
  if (auto done = apply(options, words, Source::command_line); !done)
    return std::unexpected(done.error());
  std::vector<std::string> warnings;
  if (auto done = finish(options, warnings); !done) return std::unexpected(done.error());
  if (!options.quiet)
    for (const std::string& warning : warnings) print_info(kProgram, warning);
  if (options.verbose > 0) print_info(kProgram, describe(options));
  if (options.spec.name.empty()) options.spec.name = options.no_shell ? "no-shell" : "interactive";
  options.spec.submit_line = Text(submit_line);
  options.spec.outlives_command = options.no_shell;
  return options;
}

std::expected<SallocPlan, Refusal> read_plan(std::vector<ParsedWords>& words,
                                             const std::string& submit_line) {
  SallocPlan plan;
  for (const ParsedWords& component : words) {
    auto read =
        read_component(component, plan.components.empty() ? nullptr : &plan.options(), submit_line);
    if (!read) return std::unexpected(read.error());
    plan.components.push_back(std::move(*read));
  }
  const JobOptions& options = plan.options();
  if (options.is_given("kill-command")) {
    auto number = options.kill_command.empty() ? std::optional<int>(SIGTERM)
                                               : parse_signal(options.kill_command);
    if (!number || *number < 1)
      return std::unexpected(
          Refusal{error_lines(kProgram, "Invalid --kill-command specification"), kExitBadOption});
    plan.kill_signal = *number;
  }
  const Text& directory = options.spec.work_dir;
  if (!directory.empty() && access(directory.str().c_str(), X_OK) != 0)
    return std::unexpected(Refusal{
        error_lines(kProgram, fmt::format("chdir({}): {}", directory.view(), std::strerror(errno))),
        kExitFailure});
  std::vector<std::string>& command = words.back().rest;
  plan.argv = std::move(command);
  return plan;
}

Cow<JobRequest> allocation_spec(const JobOptions& options) {
  JobRequest spec = options.spec;
  spec.kind = JobKind::allocation;
  set_submitter(spec, options);
  char* here = get_current_dir_name();
  std::string directory = here ? here : "/";
  std::free(here);
  if (!spec.work_dir.view().starts_with('/'))
    spec.work_dir =
        spec.work_dir.empty() ? Text(directory) : Text(directory + "/" + spec.work_dir.str());
  return Cow<JobRequest>(std::move(spec));
}

wire::SubmitRequest make_submit_request(const SallocPlan& plan) {
  wire::SubmitRequest request;
  request.spec = allocation_spec(plan.components.front());
  for (std::size_t i = 1; i < plan.components.size(); ++i)
    request.components.push_back(allocation_spec(plan.components[i]));
  request.immediate = plan.options().immediate_s.value_or(2) <= 1;
  return request;
}

// Variables about what one job or component was granted.
std::vector<std::pair<const char*, std::string>> granted_variables(const wire::JobView& view) {
  const Job& job = *view.job;
  std::vector<std::uint32_t> cpus, tasks;
  for (const NodeShare& share : job.run->allocation) {
    cpus.push_back(share.usable_cpus());
    tasks.push_back(share.tasks);
  }
  std::string id = std::to_string(job.id.value), nodes = std::to_string(job.run->allocation.size());
  const std::string count = std::to_string(task_count(job));
  std::vector<std::pair<const char*, std::string>> variables{
      {"SLURM_JOB_ID", id},
      {"SLURM_JOBID", id},
      {"SLURM_JOB_NAME", job.own.name.str()},
      {"SLURM_JOB_NODELIST", view.nodes.str()},
      {"SLURM_NODELIST", view.nodes.str()},
      {"SLURM_JOB_NUM_NODES", nodes},
      {"SLURM_NNODES", nodes},
      {"SLURM_JOB_CPUS_PER_NODE", compress_counts(cpus)},
      {"SLURM_TASKS_PER_NODE", compress_counts(tasks)},
      {"SLURM_JOB_PARTITION", job.partition.str()},
      {"SLURM_JOB_ACCOUNT", job.account.str()},
      {"SLURM_JOB_QOS", job.qos.str()},
      {"SLURM_NODE_ALIASES", "(null)"}};
  if (!job.spec->num_tasks && job.spec->ntasks_per_node) {
    variables.emplace_back("SLURM_NTASKS", count);
    variables.emplace_back("SLURM_NPROCS", count);
  }
  return variables;
}

// Variables of a heterogeneous job as a whole; all others are per component.
void add_het_variables(const SallocPlan& plan, const std::vector<wire::JobView>& granted,
                       JobEnvironment& environment) {
  std::uint32_t tasks = 0;
  bool all_count = true;  // otherwise each step counts its tasks itself
  for (std::size_t i = 0; i < granted.size(); ++i) {
    for (const auto& [name, value] : granted_variables(granted[i]))
      set_group_variable(environment, name, i, value);
    const auto& own = plan.components[i].spec.num_tasks;
    all_count = all_count && own;
    tasks += own.value_or(0);
  }
  add_group_variables(environment, plan.components);
  environment.set_number("SLURM_JOB_ID", granted.front().job->id.value);
  environment.set_number("SLURM_HET_SIZE", granted.size());
  environment.set_number("SLURM_PACK_SIZE", granted.size());
  if (!all_count) return;
  environment.set_number("SLURM_NTASKS", tasks);
  environment.set_number("SLURM_NPROCS", tasks);
}

// --get-user-env
void add_login_environment(JobEnvironment& environment, const JobOptions& options) {
  const Owner owner = owner_of(options);
  auto user = user_with(owner.uid);
  if (!user) return;
  for (const std::string& entry : io::login_environment({user->name, user->home, user->shell},
                                                        [&] { return become(owner); })) {
    const auto equals = entry.find('=');
    environment.set(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

// The variables of the allocation for commands that run in it, above all srun.
std::vector<std::string> command_environment(const SallocPlan& plan,
                                             const std::vector<wire::JobView>& granted,
                                             const ClientConfig& config) {
  JobEnvironment environment = JobEnvironment::of_process();
  if (plan.options().spec.get_user_env) add_login_environment(environment, plan.options());
  if (granted.size() > 1) {
    add_het_variables(plan, granted, environment);
  } else {
    add_option_variables(environment, plan.options());
    for (const auto& [name, value] : granted_variables(granted.front()))
      environment.set(name, value);
  }
  add_submit_variables(environment);
  environment.erase("SLURM_PRIO_PROCESS");
  environment.set("SLURM_CLUSTER_NAME", config.cluster_name);
  if (!config.path.empty()) environment.set("SLURM_CONF", config.path);
  return std::move(environment).take();
}

void ring_bell(const JobOptions& options, Millis waited) {
  if (options.no_bell || isatty(STDOUT_FILENO) == 0) return;
  if (options.bell || waited > kBellAfter) std::fputs("\a", stdout);
  std::fflush(stdout);
}

void on_signal(int number, AllocationCommand& command) {
  // Ctrl-C and Ctrl-\ reach the command directly from the terminal.
  if (number == SIGTERM || number == SIGHUP || number == SIGUSR1 || number == SIGUSR2)
    command.signal(number);
}

// Waits for the command's end. If the allocation ends first, a shell at the terminal is ended;
// other commands only with -K.
std::uint32_t wait_for_end(const SallocPlan& plan, JobId job, Allocation& allocation,
                           SignalQueue& signals, AllocationCommand& command) {
  bool revoked = false;
  while (true) {
    if (auto status = command.poll_end()) return *status;
    bool lost = allocation.is_lost();
    auto heard = signals.wait_for(revoked ? -1 : allocation.fd(),
                                  lost ? Millis{kReconnectEvery} : Millis{-1});
    while (auto number = signals.take()) on_signal(*number, command);
    if (heard.readable) allocation.on_readable();
    if (lost && heard.timed_out) allocation.reconnect_if_lost();
    if (revoked || !allocation.has_ended()) continue;
    revoked = true;
    print_info(kProgram, fmt::format("Job allocation {} has been revoked.", job.value));
    if (plan.kill_signal != 0)
      command.signal(plan.kill_signal);
    else if (command.is_interactive())
      command.signal(SIGHUP);
  }
}

int run_command(const SallocPlan& plan, const std::vector<wire::JobView>& granted,
                Allocation& allocation, SignalQueue& signals) {
  const JobId job = granted.front().job->id;
  std::uint32_t status = 1u << 8;
  {
    AllocationCommand command;
    auto started = command.start(plan.argv, command_environment(plan, granted, allocation.config()),
                                 plan.options().spec.work_dir.str(), owner_of(plan.options()));
    allocation.start_keeping(job);
    if (started)
      status = wait_for_end(plan, job, allocation, signals, command);
    else
      print_error(kProgram, started.error().text());
  }
  if (!allocation.has_ended()) {
    if (!plan.options().quiet)
      print_info(kProgram, fmt::format("Relinquishing job allocation {}", job.value));
    allocation.release(job, status);
  }
  return exit_code_of_status(status);
}

}  // namespace

int salloc_main(int argc, char** argv) {
  auto words = parse_components(Client::salloc, std::vector<std::string>(argv + 1, argv + argc));
  if (!words) return print(words.error());
  for (const ParsedWords& component : *words)
    if (answer_help(Client::salloc, component)) return 0;
  std::vector<std::string> line(argv, argv + argc);
  line.front() = kProgram;
  auto plan = read_plan(*words, join(line, " "));
  if (!plan) return print(plan.error());

  auto connected = Controller::connect();
  if (!connected) {
    print_error(kProgram, fmt::format("Job submit/allocate failed: {}", connected.error().text()));
    return failure_code();
  }
  const JobOptions& options = plan->options();
  if (auto known = check_clusters(kProgram, options.clusters, connected->config().cluster_name);
      !known)
    return print(known.error());
  if (options.list_gres) return list_gres(kProgram, *connected);
  if (!options.spec.container.empty() && !connected->config().uses_interactive_step) {
    print_error(kProgram, "--container requires LaunchParameters=use_interactive_step");
    return failure_code();
  }
  if (plan->argv.empty()) plan->argv = default_command(connected->config());
  SignalQueue signals(SignalQueue::Children::reported);
  Allocation allocation(std::move(*connected), options, signals);
  auto granted = allocation.allocate(make_submit_request(*plan));
  if (!granted) return granted.error().exit_code;
  const JobId job = granted->front().job->id;
  if (!options.quiet) print_info(kProgram, fmt::format("Granted job allocation {}", job.value));
  ring_bell(options, allocation.waited());
  if (options.no_shell) {
    allocation.leave(job);
    return 0;
  }
  if (auto ready = allocation.wait_until_ready(*granted); !ready) return ready.error().exit_code;
  return run_command(*plan, *granted, allocation, signals);
}

}  // namespace muster::cli
