// Requests accounting rows from whoever keeps them, and collects the parts of its answer.
#include "cli/sacct/fetch.h"

#include <algorithm>
#include <iterator>

#include "base/text/strings.h"

namespace muster::cli {

namespace {

// slurmdbd has several clusters: without any named, the own one is meant.
void choose_clusters(const ClientConfig& config, std::vector<Text>& clusters) {
  if (clusters.empty() && config.asks_slurmdbd) clusters.emplace_back(lower(config.cluster_name));
  if (std::ranges::any_of(clusters, [](const Text& name) { return iequals(name, kAllClusters); }))
    clusters.clear();
}

}  // namespace

std::expected<std::vector<AccountingRow>, Refusal> fetch_accounting(
    std::string_view program, Controller& controller, wire::AccountingRequest request) {
  std::vector<AccountingRow> rows;
  choose_clusters(controller.config(), request.clusters);
  auto streamed = controller.stream(request, [&](wire::Answer&& answer) {
    if (auto* reply = std::get_if<wire::AccountingReply>(&answer))
      std::ranges::move(reply->rows, std::back_inserter(rows));
    // What slurmdbd cannot know.
    if (auto* notice = std::get_if<wire::Notice>(&answer))
      print_error(program, notice->text.view());
  });
  if (streamed) return rows;
  return std::unexpected(Refusal{error_lines(program, streamed.error().text())});
}

std::expected<Controller, Refusal> connect_to_accounting(std::string_view program) {
  auto config = find_cluster();
  if (!config) return std::unexpected(Refusal{error_lines(program, config.error().text())});
  if (!config->accounting)
    return std::unexpected(Refusal{"Slurm accounting storage is disabled\n"});
  auto controller = Controller::connect(for_accounting(std::move(*config)));
  if (!controller) return std::unexpected(Refusal{error_lines(program, controller.error().text())});
  return std::move(*controller);
}

}  // namespace muster::cli
