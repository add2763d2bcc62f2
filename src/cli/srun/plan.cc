// Turns the options of srun into requests, step by step.
#include "cli/srun/plan.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/broadcast/libraries.h"
#include "cli/lib/name_lookup.h"
#include "cli/options/environment.h"
#include "cli/options/submitter.h"
#include "cli/tables/lists.h"
#include "io/files.h"
#include "model/node/resources.h"

namespace muster::cli {

namespace {

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// From the options; by default one task per node of the job.
std::uint32_t count_tasks(const JobSpec& spec) {
  if (spec.num_tasks) return *spec.num_tasks;
  return std::max(1u, spec.min_nodes) * std::max(1u, spec.ntasks_per_node.value_or(1));
}

Outcome read_programs(SrunPlan& plan) {
  const std::string& file = plan.task.argv.front();
  struct stat status{};
  bool is_file = stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
  auto text = is_file ? io::read_file(file) : fail(ErrorCode::failure, "it is no file");
  if (!text) {
    // Many guides write it like this: the argument is the program itself.
    if (find_program(file).empty())
      return srun_refuses(fmt::format("Could not open multi_prog config file {}", file));
    if (!plan.options.quiet)
      print_info(
          kSrun,
          fmt::format("warning: --multi-prog: {} is no file, running it as every task's program",
                      file));
    return {};
  }
  auto programs = parse_multi_prog(*text, file, count_tasks(plan.options.spec));
  if (!programs) return srun_refuses(programs.error());
  plan.task.argv_by_rank = std::move(*programs);
  plan.options.spec.num_tasks = count_tasks(plan.options.spec);
  return {};
}

std::optional<Source> source_of(const JobOptions& options, std::string_view name) {
  auto use = options.given.find(name);
  if (use == options.given.end()) return std::nullopt;
  return use->second.source;
}

void drop_inherited_nodes(JobOptions& options) {
  if (source_of(options, "nodes") != Source::environment) return;
  options.spec.min_nodes = 1;
  options.spec.max_nodes = 0;
  options.spec.nodes_given = false;
}

// Counts from the job's environment do not apply to a step that excludes some of the job's nodes.
void drop_inherited_counts(JobOptions& options) {
  if (source_of(options, "exclude") != Source::command_line) return;
  if (source_of(options, "nodes") != Source::environment) return;
  drop_inherited_nodes(options);
  if (source_of(options, "ntasks") == Source::environment) options.spec.num_tasks.reset();
}

// The constraint in the environment is the job's, which its nodes fulfil already.
void drop_inherited_features(JobOptions& options) {
  if (source_of(options, "constraint") == Source::environment) options.spec.features = {};
}

// A step that asks for GPUs does not inherit the GPU options of its job.
void drop_inherited_gpus(JobOptions& options) {
  struct Option {
    std::string_view name;
    Text JobSpec::* field;
  };
  static constexpr std::array<Option, 4> kOptions{{{"gres", &JobSpec::gres},
                                                   {"gpus", &JobSpec::gpus},
                                                   {"gpus-per-node", &JobSpec::gpus_per_node},
                                                   {"gpus-per-task", &JobSpec::gpus_per_task}}};
  bool asks = std::ranges::any_of(kOptions, [&](const Option& option) {
    return source_of(options, option.name) == Source::command_line;
  });
  if (!asks) return;
  for (const Option& option : kOptions)
    if (source_of(options, option.name) == Source::environment) options.spec.*option.field = {};
}

// Most options of new jobs are ignored inside a job; srun warns about these.
void say_ignored(const JobOptions& options) {
  if (source_of(options, "begin") == Source::command_line)
    print_error(kSrun, "--begin is ignored because nodes are already allocated.");
  if (source_of(options, "core-spec") == Source::command_line)
    print_error(kSrun,
                "Ignoring --core-spec value for a job step within an existing job. Set specialized "
                "cores at job allocation time.");
}

// As in Slurm, --ntasks-per-node is dropped if it contradicts the other counts.
void drop_odd_tasks_per_node(JobOptions& options) {
  JobRequest& spec = options.spec;
  if (!spec.num_tasks || !spec.ntasks_per_node || !spec.nodes_given) return;
  std::uint32_t tasks = *spec.num_tasks, per_node = *spec.ntasks_per_node;
  bool fits = tasks <= per_node || (tasks % per_node == 0 && tasks / per_node == spec.min_nodes);
  if (fits) return;
  if (!options.quiet)
    print_info(kSrun,
               fmt::format("Warning: can't honor --ntasks-per-node set to {} which doesn't match "
                           "the requested tasks {} with the number of requested nodes {}. "
                           "Ignoring --ntasks-per-node.",
                           per_node, tasks, spec.min_nodes));
  spec.ntasks_per_node.reset();
}

void set_devices(const JobOptions& options, wire::StepRequest& request) {
  const JobRequest& spec = options.spec;
  request.gres = Text(gres_of_each_node(spec));
  if (request.gres.empty() && options.is_given("gres")) request.gres = "none";
  request.gpus = spec.gpus;
  request.gpus_per_task = spec.gpus_per_task;
  Text& bind = request.task.gpu_bind;
  if (bind.empty() && !spec.gpus_per_task.empty())
    if (auto each = parse_gpus(spec.gpus_per_task))
      bind = fmt::format("per_task:{}", sum_of(*each));
  request.tres = {.bind = of_gpus(bind),
                  .freq = of_gpus(spec.gpu_freq),
                  .per_step = tres_list(as_gres(spec.gpus)),
                  .per_node = tres_list(gres_of_each_node(spec)),
                  .per_task = tres_list(as_gres(spec.gpus_per_task)),
                  .with_cpus = !spec.gpus.empty() || !spec.gpus_per_node.empty() ||
                               !spec.gpus_per_task.empty() || !spec.gpus_per_socket.empty(),
                  .per_socket = tres_list(as_gres(spec.gpus_per_socket)),
                  .cpus_per_gpu = spec.cpus_per_gpu.value_or(0),
                  .memory_per_gpu_mib = spec.memory_per_gpu_mib.value_or(0)};
}

// A program for the nodes: its full path, or "none".
std::string task_program(const Text& word) {
  if (word.empty() || iequals(word, "none")) return {};
  std::string found = find_program(word.str());
  return absolute_path(found.empty() ? word.view() : std::string_view(found));
}

// The directory of the tasks, without a "/." at the end.
std::string step_directory(std::string_view option) {
  std::string path = absolute_path(option.empty() ? "." : option);
  if (path.ends_with("/.")) path.resize(path.size() - 2);
  return path.empty() ? "/" : path;
}

std::uint32_t current_umask() {
  mode_t mask = umask(0);
  umask(mask);
  return mask;
}

std::vector<std::string> step_environment(const SrunPlan& plan, const LauncherAddress& launcher,
                                          const JobEnvironment& own) {
  const JobOptions& options = plan.options;
  JobEnvironment environment = own;
  std::string job_name(own.value("SLURM_JOB_NAME"));
  add_option_variables(environment, options);
  if (options.preserve_env)
    for (const char* name : {"SLURM_NTASKS", "SLURM_NPROCS"})
      if (own.find(name)) environment.set(name, own.value(name));
  if (options.job_id) {
    if (!job_name.empty()) environment.set("SLURM_JOB_NAME", job_name);
  } else {
    add_submit_variables(environment);
  }
  if (options.no_allocate) environment.set("SLURM_JOB_USER", NameLookup().user(own_uid()));
  environment = exported(environment, options.export_list);
  // Without PATH no task would find its program.
  if (!environment.find("PATH") && own.find("PATH")) environment.set("PATH", own.value("PATH"));
  if (plan.sends_libraries) {
    const std::string before(environment.value("LD_LIBRARY_PATH"));
    environment.set("LD_LIBRARY_PATH", library_directory(plan.task.argv.front()) +
                                           (before.empty() ? "" : ":" + before));
  }
  winsize size{};
  if (plan.task.pty && ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0) {
    environment.set_number("SLURM_PTY_WIN_COL", size.ws_col);
    environment.set_number("SLURM_PTY_WIN_ROW", size.ws_row);
  }
  environment.set("SLURM_LAUNCH_NODE_IPADDR", launcher.host);
  environment.set("SLURM_SRUN_COMM_HOST", launcher.host);
  environment.set_number("SLURM_SRUN_COMM_PORT", launcher.port);
  environment.set_number("SLURM_STEP_LAUNCHER_PORT", launcher.port);
  environment.set("SLURM_UMASK", fmt::format("{:04o}", current_umask()));
  environment.set_number("SRUN_DEBUG", 3 + options.verbose);
  if (environment.value("ENVIRONMENT") == "BATCH") {  // set by the batch script only
    environment.erase("ENVIRONMENT");
    environment.erase("HOSTNAME");
  }
  return std::move(environment).take();
}

}  // namespace

void share_nodes_of_job(JobOptions& options, bool is_first) {
  JobRequest& spec = options.spec;
  // A number of tasks in the job's environment applies to the first command, on all nodes.
  const bool inherits_tasks = source_of(options, "ntasks") == Source::environment;
  if (!inherits_tasks || !is_first) drop_inherited_nodes(options);
  if (inherits_tasks) return;
  if (source_of(options, "ntasks-per-node") == Source::environment) spec.ntasks_per_node.reset();
  if (options.is_said("nodes") || options.is_said("ntasks") || options.is_said("nodelist")) return;
  spec.min_nodes = spec.max_nodes = 1;
  spec.nodes_given = true;
}

std::expected<SrunPlan, Refusal> make_plan(JobOptions options, std::vector<std::string> command,
                                           std::string submit_line) {
  SrunPlan plan(std::move(options));
  plan.task.argv = std::move(command);
  plan.submit_line = std::move(submit_line);
  if (plan.task.argv.empty())
    return std::unexpected(
        Refusal{fatal_line(kSrun, "No command given to execute."), kExitFailure});
  if (!plan.options.job_id && plan.options.relative)
    return std::unexpected(Refusal{
        fatal_line(kSrun, "--relative option invalid for job allocation request"), kExitFailure});
  if (plan.options.relative &&
      (!plan.options.spec.required_nodes.empty() || !plan.options.spec.excluded_nodes.empty()))
    return std::unexpected(
        Refusal{error_lines(kSrun, "-r,--relative not allowed with -w,--nodelist or -x,--exclude."),
                kExitFailure});
  if (plan.options.job_id) {
    say_ignored(plan.options);
    drop_inherited_counts(plan.options);
    drop_inherited_gpus(plan.options);
    drop_inherited_features(plan.options);
    drop_odd_tasks_per_node(plan.options);
  }
  if (plan.options.multi_prog)
    if (auto done = read_programs(plan); !done) return std::unexpected(done.error());

  JobRequest& spec = plan.options.spec;
  auto name = plan.options.given.find("job-name");
  bool named = name != plan.options.given.end() && name->second.source == Source::command_line;
  plan.step_name = named ? spec.name.str() : base_name(plan.task.argv.front());
  if (!plan.options.is_given("job-name")) spec.name = plan.step_name;
  plan.task.work_dir = step_directory(spec.work_dir);
  plan.in = stream_target(spec.std_in);
  plan.out = stream_target(spec.std_out);
  // By default stderr goes where stdout goes.
  plan.err = spec.std_err.empty() ? plan.out : stream_target(spec.std_err);
  plan.task.task_prolog = task_program(plan.options.task.task_prolog);
  plan.task.task_epilog = task_program(plan.options.task.task_epilog);
  plan.task.kill_on_bad_exit = plan.options.kill_on_bad_exit.value_or(0) != 0;
  plan.task.umask = current_umask();
  if (plan.task.pty && isatty(STDIN_FILENO) == 0) {
    winsize size{};
    if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0)
      print_error(kSrun, fmt::format("ioctl(TIOCGWINSZ): {}", std::strerror(errno)));
    print_error(kSrun, "Not using a pseudo-terminal, disregarding --pty option");
    plan.task.pty = false;
  }
  return plan;
}

namespace {

Cow<JobRequest> allocation_spec(const SrunPlan& plan) {
  JobRequest spec = plan.options.spec;
  spec.kind = JobKind::allocation;
  spec.made_by_srun = true;
  set_submitter(spec, plan.options);
  spec.command = plan.task.argv.front();
  spec.work_dir = plan.task.work_dir;
  spec.std_in = spec.std_out = spec.std_err = {};  // these belong to the step
  spec.submit_line = plan.submit_line;
  return Cow<JobRequest>(std::move(spec));
}

// One task in addition to all others, on the job's first node.
void make_interactive(wire::StepRequest& request) {
  request.interactive = true;
  request.name = step_name(kInteractiveStep);
  request.num_tasks = request.min_nodes = request.max_nodes = 1;
  request.ntasks_per_node.reset();
  request.relative = 0;
  request.node_list = request.excluded_nodes = request.features = {};
}

// The job of a component: named by its variables, or the one after the previous component's.
JobId job_of_part(const SrunPlan& plan, std::size_t part, JobId first) {
  if (auto own = plan.parts[part].options.job_id) return JobId{*own};
  return JobId{first.value + static_cast<std::uint32_t>(part) + 1};
}

}  // namespace

wire::SubmitRequest make_submit_request(const SrunPlan& plan) {
  wire::SubmitRequest request;
  request.spec = allocation_spec(plan);
  for (const SrunPlan& part : plan.parts) request.components.push_back(allocation_spec(part));
  request.test_only = plan.options.test_only;
  request.immediate = plan.options.immediate_s.value_or(2) <= 1;
  return request;
}

wire::StepRequest make_step_request(const SrunPlan& plan, JobId job,
                                    const LauncherAddress& launcher, const JobEnvironment& own) {
  const JobRequest& spec = plan.options.spec;
  auto pattern_for_nodes = [](const StreamTarget& target) -> std::string {
    if (target.kind == StreamTarget::Kind::nodes) return absolute_path(target.pattern);
    return target.kind == StreamTarget::Kind::nothing ? "/dev/null" : "";
  };
  wire::StepRequest request;
  request.task = plan.task;
  request.task.std_in = pattern_for_nodes(plan.in);
  request.task.std_out = pattern_for_nodes(plan.out);
  request.task.std_err = pattern_for_nodes(plan.err);
  request.task.open_mode = spec.open_mode;
  request.job = job;
  request.name = plan.step_name;
  request.num_tasks = spec.num_tasks;
  request.cpus_per_task = spec.cpus_per_task;
  request.ntasks_per_node = spec.ntasks_per_node;
  if (spec.nodes_given) {
    request.min_nodes = spec.min_nodes;
    request.max_nodes = spec.max_nodes;
  }
  request.node_list = spec.required_nodes;
  request.excluded_nodes = spec.excluded_nodes;
  request.overlap = plan.options.overlap || plan.options.interactive;
  bool exact = spec.exclusive || plan.options.exact || spec.cpus_per_task;
  request.exclusive = exact && !plan.options.whole;
  request.memory_per_node_mib = spec.memory_per_node_mib;
  request.memory_per_cpu_mib = spec.memory_per_cpu_mib;
  request.memory_per_gpu_mib = spec.memory_per_gpu_mib;
  request.cpus_per_gpu = spec.cpus_per_gpu;
  request.threads_per_core = spec.threads_per_core;
  request.preserve_env = plan.options.preserve_env;
  set_devices(plan.options, request);
  request.relative = plan.options.relative;
  request.reserved_ports = plan.options.reserved_ports;
  request.async = plan.options.async;
  request.overcommit = spec.overcommit;
  if (plan.options.job_id) {
    request.immediate_s = plan.options.immediate_s;
    request.time_limit = spec.time_limit;
    request.features = spec.features;
  }
  request.distribution = spec.distribution;
  request.environment = step_environment(plan, launcher, own);
  request.submit_line = plan.submit_line;
  request.srun_host = short_host_name();
  request.srun_pid = static_cast<std::uint32_t>(getpid());
  if (plan.options.interactive) make_interactive(request);
  for (std::size_t i = 0; i < plan.parts.size(); ++i)
    request.parts.push_back(
        make_step_request(plan.parts[i], job_of_part(plan, i, job), launcher, own));
  return request;
}

}  // namespace muster::cli
