// srun: runs a command as the tasks of a step, in the job it is called from or in one of its own,
// and ends with the highest exit code of its tasks.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "base/strings.h"
#include "cli/lib/command.h"
#include "cli/lib/paths.h"
#include "cli/lib/usage.h"
#include "cli/srun_bcast.h"
#include "cli/srun_mpi.h"
#include "cli/srun_programs.h"
#include "cli/srun_step.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "srun";

std::expected<SrunPlan, Refusal> read_plan(ParsedWords& words, std::string submit_line) {
  JobOptions options(Client::srun, std::chrono::floor<Millis>(std::chrono::system_clock::now()));
  auto environment = apply_environment(options, [](const char* name) { return std::getenv(name); });
  if (!environment) return std::unexpected(environment.error());
  if (auto done = apply(options, words, Source::command_line); !done)
    return std::unexpected(done.error());
  if (options.mpi == "list") return std::unexpected(Refusal{mpi_list(), 0});
  std::vector<std::string> warnings;
  if (auto done = finish(options, warnings); !done) return std::unexpected(done.error());
  if (!options.quiet)
    for (const std::string& warning : warnings) print_info(kProgram, warning);
  if (options.verbose > 0) print_info(kProgram, describe(options));
  auto plan = make_plan(std::move(options), std::move(words.rest), std::move(submit_line));
  if (!plan) return plan;
  if (auto done = plan_bcast(*plan); !done) return std::unexpected(done.error());
  return plan;
}

struct StepEnd {
  int exit_code = 1;
  std::uint32_t wait_status = 1u << 8;
};

StepEnd run_step(const SrunPlan& plan, SrunController& controller, SignalQueue& signals,
                 const ClientConfig& config, JobId job, bool own_job) {
  auto reply = controller.create_step(job);
  if (!reply) return {reply.error().exit_code};
  if (plan.options.verbose > 0)
    for (const wire::StepPlace& place : reply->places)
      print_info(kProgram,
                 fmt::format("launching StepId={}.{} on host {}, {} tasks", job.value,
                             step_name(reply->step), place.node.view(), place.ranks.size()));
  if (own_job)
    controller.start_keeping(job);
  else
    controller.stop_keeping();
  StepRunner runner(plan, job, std::move(*reply), controller, signals);
  StepId step = runner.step();
  if (!runner.open_files()) {
    controller.cancel_step(job, step);
    return {failure_code()};
  }
  if (!send_program(plan, job, step)) {
    controller.cancel_step(job, step);
    return {failure_code()};
  }
  run_srun_program(config.srun_prolog, "prolog_srun", plan, job, step);
  if (!runner.connect()) return {failure_code()};
  std::optional<RawTerminal> terminal;
  if (plan.pty) terminal.emplace();
  runner.run();
  terminal.reset();
  runner.tell_ends();
  run_srun_program(config.srun_epilog, "epilog_srun", plan, job, step);
  return {runner.exit_code(), runner.worst_status()};
}

int run_plan(SrunPlan plan) {
  auto connected = Controller::connect();
  if (!connected) {
    print_error(kProgram,
                fmt::format("Unable to allocate resources: {}", connected.error().text()));
    return failure_code();
  }
  const ClientConfig config = connected->config();
  auto mpi = mpi_kind(plan.options.mpi.empty() ? config.mpi_default : plan.options.mpi.view());
  if (!mpi) return print(mpi.error());
  plan.mpi = std::move(*mpi);
  SignalQueue signals;
  SrunController controller(std::move(*connected), plan, signals);
  if (plan.options.job_id)
    return run_step(plan, controller, signals, config, JobId{*plan.options.job_id}, false)
        .exit_code;
  auto granted = controller.allocate(make_submit_request(plan));
  if (!granted) return granted.error().exit_code;
  JobId job = granted->job->id;
  StepEnd end = run_step(plan, controller, signals, config, job, true);
  controller.release(job, end.wait_status);
  return end.exit_code;
}

}  // namespace

int srun_main(int argc, char** argv) {
  auto words = parse_words(Client::srun, std::vector<std::string>(argv + 1, argv + argc));
  if (!words) return print(words.error());
  if (answer_help(Client::srun, *words)) return 0;
  std::vector<std::string> line(argv, argv + argc);
  line.front() = kProgram;
  auto plan = read_plan(*words, join(line, " "));
  if (!plan) return print(plan.error());
  return run_plan(std::move(*plan));
}

}  // namespace muster::cli
