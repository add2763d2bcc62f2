// srun: runs a command as the tasks of a step, in the present job or in a new one, and ends with
// the highest exit code of its tasks.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include "base/text/idset.h"
#include "base/text/strings.h"
#include "cli/lib/command.h"
#include "cli/lib/paths.h"
#include "cli/options/components.h"
#include "cli/options/gres_help.h"
#include "cli/options/usage.h"
#include "cli/srun/async.h"
#include "cli/srun/bcast.h"
#include "cli/srun/groups.h"
#include "cli/srun/mpi.h"
#include "cli/srun/plan.h"
#include "cli/srun/programs.h"
#include "cli/srun/step.h"
#include "cli/srun/unallocated.h"
#include "cli/tables/lists.h"

namespace muster::cli {

namespace {

// The position of a command among those that share a job's nodes.
struct Place {
  bool alone = true;
  std::optional<std::uint32_t> group = {};  // in the heterogeneous job of --jobid
};

std::expected<SrunPlan, Refusal> read_part(const ParsedWords& words, const Lookup& variables,
                                           const JobOptions* previous, std::string submit_line,
                                           Place place) {
  JobOptions options(Client::srun, std::chrono::floor<Millis>(std::chrono::system_clock::now()));
  if (previous)
    if (auto done = inherit(options, *previous); !done) return std::unexpected(done.error());
  auto environment = apply_environment(options, variables);
  if (!environment) return std::unexpected(environment.error());
  if (auto done = apply(options, words, Source::command_line); !done)
    return std::unexpected(done.error());
  if (options.job_id && place.group) *options.job_id += *place.group;
  if (options.mpi == "list") return std::unexpected(Refusal{mpi_list(), 0});
  if (!place.alone && options.job_id) share_nodes_of_job(options, previous == nullptr);
  std::vector<std::string> warnings;
  if (auto done = finish(options, warnings); !done) return std::unexpected(done.error());
  if (!options.quiet && place.alone)
    for (const std::string& warning : warnings) print_info(kSrun, warning);
  if (options.verbose > 0) print_info(kSrun, describe(options));
  if (auto done = check_unallocated(options); !done) return std::unexpected(done.error());
  auto plan = make_plan(std::move(options), words.rest, std::move(submit_line));
  if (!plan) return plan;
  if (auto done = plan_bcast(*plan); !done) return std::unexpected(done.error());
  return plan;
}

bool asks_groups(const ParsedWords& words) {
  return std::ranges::any_of(words.options, [](const auto& option) {
    return option.first == "het-group" || option.first == "pack-group";
  });
}

// Which command runs in which component, with which variables.
std::expected<std::vector<GroupPart>, Refusal> choose_parts(const std::vector<ParsedWords>& words,
                                                            std::optional<std::uint32_t> size,
                                                            bool in_job) {
  if (size) return group_parts(words, *size);
  std::vector<GroupPart> parts;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (in_job && asks_groups(words[i]))
      return srun_refuses("No directives to start application on any available hetjob components");
    parts.push_back({i, static_cast<std::uint32_t>(i)});
  }
  return parts;
}

// --jobid of any command; the last use counts.
std::optional<std::uint32_t> job_named(const std::vector<ParsedWords>& words) {
  std::optional<std::uint32_t> job;
  for (const ParsedWords& part : words)
    for (const auto& [name, value] : part.options)
      if (name == "jobid") job = parse_number<std::uint32_t>(value);
  return job;
}

// The number of components of that job; nothing if it is not heterogeneous, or if commands name it
// as a whole.
std::optional<std::uint32_t> components_of(std::uint32_t job,
                                           const std::vector<ParsedWords>& words) {
  if (words.size() == 1 && !asks_groups(words.front())) return std::nullopt;
  auto controller = Controller::connect();
  if (!controller) return std::nullopt;
  wire::JobsRequest request;
  request.filter.jobs.push_back({JobId{job}, {}, std::nullopt});
  auto reply = controller->ask_for<wire::JobsReply>(request);
  if (!reply || reply->jobs.empty() || !reply->jobs.front().job->is_het()) return std::nullopt;
  return static_cast<std::uint32_t>(reply->jobs.size());
}

std::expected<SrunPlan, Refusal> read_plan(std::vector<ParsedWords> words,
                                           const std::string& submit_line) {
  // A part without a command runs the next part's command.
  for (std::size_t i = words.size() - 1; i-- > 0;)
    if (words[i].rest.empty()) words[i].rest = words[i + 1].rest;
  const Lookup variables = [](const char* name) { return std::getenv(name); };
  const auto named = job_named(words);
  const auto size = named ? components_of(*named, words) : het_size(variables);
  auto chosen = choose_parts(words, size, named || variables("SLURM_JOB_ID") != nullptr);
  if (!chosen) return std::unexpected(chosen.error());
  std::vector<SrunPlan> plans;
  for (const GroupPart& part : *chosen) {
    Place place;
    if (!size) place.alone = chosen->size() == 1;
    if (size && named) place.group = part.group;
    auto plan =
        read_part(words[part.words], size ? in_group(variables, part.group, *size) : variables,
                  plans.empty() ? nullptr : &plans.back().options, submit_line, place);
    if (!plan) return std::unexpected(plan.error());
    plans.push_back(std::move(*plan));
  }
  SrunPlan plan = std::move(plans.front());
  plan.parts.assign(std::make_move_iterator(plans.begin() + 1),
                    std::make_move_iterator(plans.end()));
  if (auto done = plan_async(plan); !done) return std::unexpected(done.error());
  return plan;
}

// "3", "[0,2-4]"
std::string ranks_text(const std::vector<std::uint32_t>& ranks) {
  IdSet set;
  for (std::uint32_t rank : ranks) set.insert(rank);
  return ranks.size() == 1 ? set.text() : fmt::format("[{}]", set.text());
}

// -v: the job's id and nodes, in the format that scripts look for.
void say_allocation(const ClientConfig& config, JobId job) {
  auto controller = Controller::connect(config);
  if (!controller) return;
  wire::JobsRequest request;
  request.filter.jobs.push_back({job, {}, std::nullopt});
  auto reply = controller->ask_for<wire::JobsReply>(request);
  if (!reply || reply->jobs.empty()) return;
  const wire::JobView& view = reply->jobs.front();
  std::vector<std::string> counts;
  const auto& shares = view.job->run->allocation;
  for (std::size_t i = 0, end = 0; i < shares.size(); i = end) {
    while (end < shares.size() && shares[end].cpus.size() == shares[i].cpus.size()) ++end;
    counts.push_back(fmt::format("{}(x{})", shares[i].cpus.size(), end - i));
  }
  print_info(kSrun, fmt::format("jobid {}: nodes({}):`{}', cpu counts: {}", job.value,
                                shares.size(), view.nodes.view(), join(counts, ",")));
}

// Gives the allocation back, if it was made for this step.
using GiveBack = std::function<void(std::uint32_t wait_status)>;

int run_step(const SrunPlan& plan, SrunController& controller, SignalQueue& signals,
             const ClientConfig& config, JobId job, std::expected<wire::StepReply, Ended> reply,
             const GiveBack& give_back) {
  auto fails = [&](int code) {
    constexpr std::uint32_t kExitOne = 1u << 8;
    give_back(kExitOne);
    return code;
  };
  if (!reply) return fails(reply.error().exit_code);
  if (plan.options.verbose > 0 && !plan.options.no_allocate) say_allocation(config, job);
  if (plan.options.verbose > 0)
    for (const wire::StepPlace& place : reply->places)
      print_info(kSrun, fmt::format("launching StepId={}.{} on host {}, {} tasks: {}", job.value,
                                    step_name(reply->step), place.node.view(), place.ranks.size(),
                                    ranks_text(place.ranks)));
  if (plan.options.no_allocate)
    controller.stop_keeping();
  else if (plan.options.job_id)
    controller.watch_step(job, reply->step);
  else
    controller.start_keeping(job);
  const AroundStep around{job, reply->step, reply->num_tasks,
                          static_cast<std::uint32_t>(reply->places.size())};
  StepRunner runner(plan, job, std::move(*reply), controller, signals);
  StepId step = runner.step();
  if (!runner.open_files()) {
    controller.cancel_step(job, step);
    return fails(failure_code());
  }
  if (!send_program(plan, job, step)) {
    controller.cancel_step(job, step);
    return fails(failure_code());
  }
  if (int code = run_srun_program(config.srun_prolog, "prolog_srun", plan, around); code != 0) {
    print_error(kSrun, fmt::format("srun prolog failed rc = {}. Aborting step.", code));
    controller.cancel_step(job, step);
    return fails(failure_code());
  }
  if (!runner.connect()) return fails(failure_code());
  std::optional<RawTerminal> terminal;
  if (plan.task.pty) terminal.emplace();
  runner.run();
  terminal.reset();
  runner.tell_ends();
  if (int code = run_srun_program(config.srun_epilog, "epilog_srun", plan, around); code != 0)
    print_error(kSrun, fmt::format("srun epilog failed status={}", code));
  if (runner.ended_well()) controller.await_step_end();
  give_back(runner.worst_status());
  return runner.exit_code();
}

// LaunchParameters=test_exec: a program that does not exist here does not exist on the nodes.
Outcome find_programs(const SrunPlan& plan) {
  const std::string& program = plan.task.argv.front();
  if (!plan.options.multi_prog && find_program(program).empty())
    return std::unexpected(
        Refusal{fatal_line(kSrun, fmt::format("Can not execute {}", program)), kExitFailure});
  for (const SrunPlan& part : plan.parts)
    if (auto found = find_programs(part); !found) return found;
  return {};
}

int run_plan(SrunPlan plan) {
  auto connected = Controller::connect();
  if (!connected) {
    print_error(kSrun, fmt::format("Unable to allocate resources: {}", connected.error().text()));
    return failure_code();
  }
  const ClientConfig config = connected->config();
  if (auto known = check_clusters(kSrun, plan.options.clusters, config.cluster_name); !known)
    return print(known.error());
  if (plan.options.list_gres) return list_gres(kSrun, *connected);
  if (!config.het_steps && !plan.parts.empty())
    return print(Refusal{fatal_line(kSrun,
                                    "Job steps that span multiple components of a heterogeneous "
                                    "job are not currently supported"),
                         kExitFailure});
  if (!plan.options.kill_on_bad_exit) plan.task.kill_on_bad_exit = config.kill_on_bad_exit;
  if (!plan.options.wait_s)
    plan.options.wait_s = static_cast<std::uint32_t>(config.wait_time.count());
  auto mpi = mpi_kind(plan.options.mpi.empty() ? config.mpi_default : plan.options.mpi.view());
  if (!mpi) return print(mpi.error());
  plan.task.mpi = std::move(*mpi);
  if (config.test_exec)
    if (auto found = find_programs(plan); !found) return print(found.error());
  SignalQueue signals;
  SrunController controller(std::move(*connected), plan, signals);
  if (plan.options.async) return queue_step(plan, controller, JobId{*plan.options.job_id});
  if (plan.options.job_id && !plan.options.test_only) {
    const JobId job{*plan.options.job_id};
    return run_step(plan, controller, signals, config, job, controller.create_step(job),
                    [](std::uint32_t) {});
  }
  if (plan.options.no_allocate && !plan.options.test_only) {
    auto launched = controller.start_unallocated();
    if (!launched) return launched.error().exit_code;
    return run_step(plan, controller, signals, config, launched->job, std::move(launched->step),
                    [](std::uint32_t) {});
  }
  auto own = controller.start_alone();
  if (!own) return own.error().exit_code;
  return run_step(plan, controller, signals, config, own->job, std::move(own->step),
                  [&](std::uint32_t status) { controller.release(own->job, status); });
}

}  // namespace

int srun_main(int argc, char** argv) {
  auto words = parse_components(Client::srun, std::vector<std::string>(argv + 1, argv + argc));
  if (!words) return print(words.error());
  for (const ParsedWords& component : *words)
    if (answer_help(Client::srun, component)) return 0;
  std::vector<std::string> line(argv, argv + argc);
  line.front() = kSrun;
  auto plan = read_plan(std::move(*words), join(line, " "));
  if (!plan) return print(plan.error());
  return run_plan(std::move(*plan));
}

}  // namespace muster::cli
