// sinfo: partitions and nodes. Reads options, asks the controller, prints lines (list.cc) of fields
// (cli/records).
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include "cli/lib/command.h"
#include "cli/lib/controller.h"
#include "cli/records/reservation_text.h"
#include "cli/sinfo/list.h"
#include "cli/tables/lists.h"

namespace muster::cli {

namespace {

Outcome run_once(Controller& controller, const InfoOptions& options) {
  auto reply = controller.ask_for<wire::NodesReply>(wire::NodesRequest{});
  if (!reply) {
    // Nodes, partitions or both may be private (PrivateData).
    const bool only_nodes = reply.error().code == ErrorCode::access_denied &&
                            controller.ask_for<wire::PartitionsReply>(wire::PartitionsRequest{});
    return std::unexpected(
        Refusal{fmt::format("{}: {}\n", only_nodes ? "slurm_load_node" : "slurm_load_partitions",
                            reply.error().text())});
  }
  NodeContext context;
  context.now = reply->now;
  context.times = TimeStyle::from_environment("sinfo", reply->now);
  std::string out;
  if (!options.clusters.empty() && options.header)
    out += fmt::format("CLUSTER: {}\n", controller.config().cluster_name);
  if (options.json) {
    out += nodes_json(*reply, context);
  } else {
    auto listing = list_nodes(*reply, options, context);
    if (!listing) return std::unexpected(listing.error());
    for (const std::string& line : listing->complaints) std::fputs(line.c_str(), stderr);
    out += listing->text;
  }
  if (options.iterate_s > 0) out += '\n';
  if (!write_out(out)) return std::unexpected(Refusal{});
  return {};
}

Outcome run(std::span<const std::string> words) {
  auto options = parse_sinfo(words);
  if (!options) return std::unexpected(options.error());
  if (own_uid() == Uid{0} && options->partitions.empty()) options->all = true;
  auto controller = Controller::connect();
  if (!controller)
    return std::unexpected(
        Refusal{fmt::format("slurm_load_partitions: {}\n", controller.error().text())});
  if (auto known = check_clusters("sinfo", options->clusters, controller->config().cluster_name);
      !known)
    return known;
  if (options->verbose > 0)
    print_info("sinfo", fmt::format("cluster {}", controller->config().cluster_name));
  if (options->reservations) {
    auto reply = controller->ask_for<wire::ReservationsReply>(wire::ReservationsRequest{});
    if (!reply)
      return std::unexpected(
          Refusal{fmt::format("slurm_load_reservations: {}\n", reply.error().text())});
    if (!write_out(reservation_table(*reply, options->header))) return std::unexpected(Refusal{});
    return {};
  }
  while (true) {
    if (auto done = run_once(*controller, *options); !done) return done;
    if (options->iterate_s == 0) return {};
    std::this_thread::sleep_for(Seconds{options->iterate_s});
  }
}

}  // namespace

int sinfo_main(int argc, char** argv) {
  auto done = run(std::vector<std::string>(argv + 1, argv + argc));
  return done ? 0 : print(done.error());
}

}  // namespace muster::cli
