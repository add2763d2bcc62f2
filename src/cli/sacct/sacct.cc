// sacct: jobs and steps from accounting. Reads options (options.cc), asks the controller, prints
// lines (list.cc) of fields (fields.cc).
#include <cstdio>

#include <fmt/format.h>

#include "base/text/date.h"
#include "cli/lib/command.h"
#include "cli/sacct/fetch.h"
#include "cli/sacct/list.h"

namespace muster::cli {

namespace {

constexpr std::string_view kRule =
    "--------------------------------------------------------------------------------";

// -B, --env-vars: scripts and environments, which the controller has as long as it knows the jobs.
Outcome print_scripts(const AcctOptions& options, const std::vector<AccountingRow>& rows) {
  if (options.request.jobs.empty())
    return std::unexpected(Refusal{
        fatal_line("sacct", fmt::format("Printing {} requires -j",
                                        options.batch_script ? "batch scripts" : "environments"))});
  auto controller = Controller::connect();
  if (!controller) return std::unexpected(Refusal{error_lines("sacct", controller.error().text())});
  std::string out;
  for (const AccountingRow& row : rows) {
    std::string text = "NONE\n";
    if (options.batch_script) {
      auto reply =
          controller->ask_for<wire::BatchScriptReply>(wire::BatchScriptRequest{.job = row.job.job});
      if (reply && !reply->script.empty()) text = reply->script;
    }
    AcctContext context;
    std::string id = acct_job_id({&row, nullptr, &context});
    out += fmt::format("{} for {}\n{}\n{}\n",
                       options.batch_script ? "Batch Script" : "Environment used", id, kRule, text);
  }
  if (!write_out(out)) return std::unexpected(Refusal{});
  return {};
}

void tell_window(const AcctOptions& options) {
  const wire::AccountingRequest& request = options.request;
  auto text = [](Time t, std::string_view unset) {
    return is_set(t) ? format_date(t) : std::string(unset);
  };
  print_info("sacct",
             fmt::format("Jobs {} in the time window from {} to {}",
                         request.by_state ? "in these states" : "eligible",
                         text(request.start, request.jobs.empty() ? "midnight" : "the beginning"),
                         text(request.end, "now")));
}

Outcome run(std::span<const std::string> words) {
  Time now = clock_now();
  auto options = parse_sacct(words, now);
  if (!options) return std::unexpected(options.error());
  if (options->verbose > 0) tell_window(*options);
  auto controller = connect_to_accounting("sacct");
  if (!controller) return std::unexpected(controller.error());
  auto rows = fetch_accounting("sacct", *controller, options->request);
  if (!rows) return std::unexpected(rows.error());
  if (options->batch_script || options->environment) return print_scripts(*options, *rows);
  AcctContext context;
  context.now = now;
  context.times = TimeStyle::from_environment("sacct", now);
  context.units = options->units;
  if (auto limit = parse_number<std::size_t>(env_text("SLURM_BITSTR_LEN")))
    context.task_text_limit = *limit;
  std::string out =
      options->json ? accounting_json(*rows, context) : list_accounting(*rows, *options, context);
  if (!write_out(out)) return std::unexpected(Refusal{});
  return {};
}

}  // namespace

int sacct_main(int argc, char** argv) {
  auto done = run(std::vector<std::string>(argv + 1, argv + argc));
  return done ? 0 : print(done.error());
}

}  // namespace muster::cli
