// seff: how well a job used what it was given. report.cc makes the report.
#include <array>

#include <fmt/format.h>

#include "cli/lib/command.h"
#include "cli/options/command_options.h"
#include "cli/options/option_lists.h"
#include "cli/sacct/fetch.h"
#include "cli/seff/report.h"

namespace muster::cli {

namespace {

constexpr std::string_view kProgram = "seff";

struct EfficiencyOptions {};
constexpr auto kRows = std::to_array<CommandOption<EfficiencyOptions>>({
    {{{"help", 'h', none}, "", "show this list"}},
    {{{"usage", 0, none}, "", "show a short list of options"}},
    {{{"version", 'V', none}, "", "show the version"}},
});
constexpr CommandText kCommand{kProgram, "Tells how well a job used its CPUs and its memory.",
                               "job_id"};

Outcome run(std::span<const std::string> words) {
  EfficiencyOptions options;
  auto rest = read_options<EfficiencyOptions>(kCommand, kRows, words, options);
  if (!rest) return std::unexpected(rest.error());
  if (rest->size() != 1)
    return std::unexpected(Refusal{usage_of<EfficiencyOptions>(kCommand, kRows)});
  auto ref = wire::parse_job_ref(rest->front());
  if (!ref)
    return std::unexpected(
        Refusal{error_lines(kProgram, fmt::format("Invalid job id: {}", rest->front()))});
  auto controller = connect_to_accounting(kProgram);
  if (!controller) return std::unexpected(controller.error());
  wire::AccountingRequest request{.jobs = {*ref}, .all_users = true};
  auto rows = fetch_accounting(kProgram, *controller, request);
  if (!rows) return std::unexpected(rows.error());
  if (rows->empty()) return std::unexpected(Refusal{"Job not found.\n"});
  AcctContext context;
  context.now = clock_now();
  if (!write_out(efficiency_report(rows->front(), context))) return std::unexpected(Refusal{});
  return {};
}

}  // namespace

std::vector<OptionText> seff_options() { return {kRows.begin(), kRows.end()}; }

int seff_main(int argc, char** argv) {
  auto done = run(std::vector<std::string>(argv + 1, argv + argc));
  return done ? 0 : print(done.error());
}

}  // namespace muster::cli
