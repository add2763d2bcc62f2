// sattach: connects to the output and input of a step that another srun has started.
#include <array>
#include <cstdio>
#include <optional>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "cli/lib/command.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/srun/step.h"
#include "wire/client_messages.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "sattach";

struct AttachOptions {
  std::optional<std::uint32_t> input, output, error;  // ranks
  bool label = false, layout = false, quiet = false, pty = false;
  int verbose = 0;
};

template <auto Member>
constexpr std::string_view filter_name() {
  if (Member == &AttachOptions::input) return "input";
  return Member == &AttachOptions::output ? "output" : "error";
}

// A filter names one rank; without a filter all tasks are meant.
template <std::optional<std::uint32_t> AttachOptions::* Member>
Outcome filter(AttachOptions& options, Value value) {
  options.*Member = parse_number<std::uint32_t>(value);
  if (options.*Member) return {};
  return std::unexpected(
      Refusal{error_lines(kProgram, fmt::format("Invalid numeric value \"{}\" for {}-filter.",
                                                value, filter_name<Member>())),
              kExitFailure});
}

using O = AttachOptions;
// clang-format off
constexpr auto kRows = std::to_array<CommandOption<O>>({
    {{{"error-filter", 0, required}, "rank", "only this task's standard error"}, filter<&O::error>},
    {{{"help", 'h', none}, "", "show this list"}},
    {{{"input-filter", 0, required}, "rank", "standard input goes only to this task"}, filter<&O::input>},
    {{{"label", 'l', none}, "", "print the task's rank before each line"}, flag<&O::label>},
    {{{"layout", 0, none}, "", "show which task is on which node, without connecting"}, flag<&O::layout>},
    {{{"output-filter", 0, required}, "rank", "only this task's standard output"}, filter<&O::output>},
    {{{"pty", 0, none}, "", "pass on the terminal, for a step with --pty"}, flag<&O::pty>},
    {{{"quiet", 'Q', none}, "", "print errors only"}, flag<&O::quiet>},
    {{{"usage", 'u', none}, "", "show a short list of options"}},
    {{{"verbose", 'v', none}, "", "print more messages"}, count<&O::verbose>},
    {{{"version", 'V', none}, "", "show the version"}},
});
// clang-format on
constexpr CommandText kCommand{
    .program = kProgram, .purpose = "", .operands = "<jobid.stepid>", .short_usage = true};

int refuse(std::string_view text) {
  print_error(kProgram, text);
  return kExitFailure;
}

int show_usage(std::string_view error) {
  print_error(kProgram, error);
  std::fputs("Usage: sattach [options] <jobid.stepid>\n", stdout);
  return kExitFailure;
}

void print_layout(const wire::StepReply& step) {
  std::vector<std::string> names;
  for (const wire::StepPlace& place : step.places) names.push_back(place.node.str());
  std::string out = fmt::format("Job step layout:\n\t{} tasks, {} nodes ({})\n\n", step.num_tasks,
                                names.size(), compress_hostlist(names));
  for (std::size_t i = 0; i < step.places.size(); ++i) {
    const wire::StepPlace& place = step.places[i];
    out += fmt::format("\tNode {} ({}), {} task(s): {} \n", i, place.node.view(),
                       place.ranks.size(), fmt::join(place.ranks, " "));
  }
  std::fputs(out.c_str(), stdout);
}

int attach(const AttachOptions& options, JobId job, wire::StepReply step, Controller connection) {
  SrunPlan plan(JobOptions(Client::srun, Time{}));
  plan.program = kProgram;
  plan.is_observer = true;
  plan.task.pty = options.pty;
  plan.task.label = options.label;
  plan.options.quiet = options.quiet;
  plan.options.unbuffered = options.pty;
  struct Filter {
    std::optional<std::uint32_t> rank;
    std::string_view name;
    StreamTarget& target;
  };
  for (const Filter& each :
       {Filter{options.input, "input", plan.in}, Filter{options.output, "output", plan.out},
        Filter{options.error, "error", plan.err}}) {
    if (!each.rank) continue;
    if (*each.rank >= step.num_tasks)
      return refuse(fmt::format("Invalid --{}-filter: {}", each.name, *each.rank));
    each.target = {StreamTarget::Kind::one_task, *each.rank, {}};
  }
  SignalQueue signals;
  SrunController controller(std::move(connection), plan, signals);
  controller.stop_keeping();
  StepRunner runner(plan, job, std::move(step), controller, signals);
  if (!runner.open_files() || !runner.connect()) return failure_code();
  std::optional<RawTerminal> terminal;
  if (plan.task.pty) terminal.emplace();
  runner.run();
  terminal.reset();
  runner.tell_ends();
  if (auto signal = runner.left_by()) return 128 + *signal;
  return runner.exit_code();
}

// The job id of an array task or a component.
Result<JobId> job_of(Controller& controller, wire::JobRef ref) {
  if (ref.tasks.empty() && !ref.component) return ref.job;
  ref.step.reset();
  wire::JobsRequest request;
  request.filter.jobs.push_back(std::move(ref));
  request.filter.all_states = true;
  auto reply = controller.ask_for<wire::JobsReply>(request);
  if (!reply) return std::unexpected(reply.error());
  if (reply->jobs.empty()) return fail(ErrorCode::invalid_job_id);
  return reply->jobs.front().job->id;
}

int refuse_step(const Error& error) {
  return refuse(fmt::format("Could not get job step info: {}", error.text()));
}

}  // namespace

std::vector<OptionText> sattach_options() { return {kRows.begin(), kRows.end()}; }

int sattach_main(int argc, char** argv) {
  AttachOptions options;
  auto rest =
      read_options<O>(kCommand, kRows, std::vector<std::string>(argv + 1, argv + argc), options);
  if (!rest) return print(rest.error());
  if (options.quiet && options.verbose > 0)
    return refuse("don't specify both --verbose (-v) and --quiet (-Q)");
  if (rest->size() != 1) return show_usage("too many parameters");
  auto ref = wire::parse_job_ref(rest->front());
  if (!ref && rest->front().contains('.')) return refuse_step({ErrorCode::invalid_job_id, {}});
  if (!ref || !ref->step) return show_usage("Failed to parse stepid from command line options");

  auto controller = Controller::connect();
  if (!controller) return refuse(controller.error().text());
  auto job = job_of(*controller, *ref);
  if (!job) return refuse_step(job.error());
  auto step = controller->ask_for<wire::StepReply>(wire::AttachStepRequest{*job, *ref->step});
  if (!step) return refuse_step(step.error());
  if (options.layout) {
    print_layout(*step);
    return 0;
  }
  if (*ref->step >= kBatchStep) return refuse("only steps of srun can be joined");
  return attach(options, *job, std::move(*step), std::move(*controller));
}

}  // namespace muster::cli
