#include "cli/sacct/fetch.h"

#include "base/codec/codec.h"

namespace muster::cli {

std::expected<std::vector<AccountingRow>, Refusal> fetch_accounting(
    std::string_view program, Controller& controller, const wire::AccountingRequest& request) {
  std::vector<AccountingRow> rows;
  Result<void> decoded;
  auto streamed = controller.stream(request, [&](wire::Answer&& answer) {
    auto* reply = std::get_if<wire::AccountingReply>(&answer);
    if (!reply) return;
    for (const std::string& bytes : reply->rows) {
      auto row = decode<AccountingRow>(bytes);
      if (!row)
        decoded = std::unexpected(row.error());
      else
        rows.push_back(std::move(*row));
    }
  });
  if (streamed && decoded) return rows;
  const Error& error = streamed ? decoded.error() : streamed.error();
  return std::unexpected(Refusal{error_lines(program, error.text())});
}

std::expected<Controller, Refusal> connect_to_accounting(std::string_view program) {
  auto config = find_cluster();
  if (!config) return std::unexpected(Refusal{error_lines(program, config.error().text())});
  if (config->accounting_none)
    return std::unexpected(Refusal{"Slurm accounting storage is disabled\n"});
  auto controller = Controller::connect(std::move(*config));
  if (!controller) return std::unexpected(Refusal{error_lines(program, controller.error().text())});
  return std::move(*controller);
}

}  // namespace muster::cli
