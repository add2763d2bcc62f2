// Requests accounting rows from the controller, and collects the parts of its answer.
#include "cli/sacct/fetch.h"

#include <algorithm>
#include <iterator>

namespace muster::cli {

std::expected<std::vector<AccountingRow>, Refusal> fetch_accounting(
    std::string_view program, Controller& controller, const wire::AccountingRequest& request) {
  std::vector<AccountingRow> rows;
  auto streamed = controller.stream(request, [&](wire::Answer&& answer) {
    if (auto* reply = std::get_if<wire::AccountingReply>(&answer))
      std::ranges::move(reply->rows, std::back_inserter(rows));
  });
  if (streamed) return rows;
  return std::unexpected(Refusal{error_lines(program, streamed.error().text())});
}

std::expected<Controller, Refusal> connect_to_accounting(std::string_view program) {
  auto config = find_cluster();
  if (!config) return std::unexpected(Refusal{error_lines(program, config.error().text())});
  if (!config->accounting)
    return std::unexpected(Refusal{"Slurm accounting storage is disabled\n"});
  auto controller = Controller::connect(std::move(*config));
  if (!controller) return std::unexpected(Refusal{error_lines(program, controller.error().text())});
  return std::move(*controller);
}

}  // namespace muster::cli
