// Asks the controller for names.
#include <fmt/format.h>

#include <set>

#include "cli/lib/controller.h"
#include "cli/lib/name_lookup.h"
#include "cli/muster/completion.h"

namespace muster::cli {

namespace {

using Candidates = std::vector<Candidate>;

void add_jobs(Controller& controller, Candidates& all) {
  wire::JobsRequest request;
  request.filter.states = {JobState::pending, JobState::running, JobState::suspended};
  if (own_uid() != Uid{0}) request.filter.uids = {own_uid()};
  std::set<std::uint32_t> seen;
  // What could not be asked cannot be completed; the shell shows nothing then.
  (void)controller.stream(request, [&](wire::Answer&& answer) {
    auto* reply = std::get_if<wire::JobsReply>(&answer);
    if (!reply) return;
    for (const wire::JobView& view : reply->jobs) {
      const Job& job = *view.job;
      const std::uint32_t id = job.array_id ? job.array_id.value : job.id.value;
      if (seen.insert(id).second)
        all.push_back(
            {std::to_string(id), fmt::format("{} {}", state_name(job.state), job.own.name.view())});
    }
  });
}

void add_of_nodes(Controller& controller, WordKind kind, Candidates& all) {
  auto reply = controller.ask_for<wire::NodesReply>(wire::NodesRequest{});
  if (!reply) return;
  std::set<std::string> features;
  if (kind == WordKind::partition)
    for (const Partition& p : reply->partitions) all.push_back({p.name.str(), {}});
  for (const wire::NodeView& view : reply->nodes) {
    for (const Text& feature : view.node->config.features) features.insert(feature.str());
    if (kind == WordKind::node)
      all.push_back({view.node->config.name.str(), node_state_word(*view.node)});
  }
  if (kind == WordKind::feature)
    for (const std::string& feature : features) all.push_back({feature, {}});
}

void add_of_site(Controller& controller, WordKind kind, Candidates& all) {
  wire::AccountsRequest request;
  request.entity = kind == WordKind::qos ? wire::Entity::qos : wire::Entity::account;
  auto reply = controller.ask_for<wire::AccountsReply>(request);
  if (!reply) return;
  for (const wire::AccountsRow& row : reply->rows) {
    if (const auto* qos = std::get_if<QosRow>(&row)) all.push_back({qos->qos.name.str(), {}});
    if (const auto* account = std::get_if<wire::AccountShown>(&row))
      all.push_back({account->row.name.str(), account->row.description.str()});
  }
}

void add_reservations(Controller& controller, Candidates& all) {
  auto reply = controller.ask_for<wire::ReservationsReply>(wire::ReservationsRequest{});
  if (!reply) return;
  for (const wire::ReservationView& view : reply->reservations)
    all.push_back({view.reservation.name.str(), {}});
}

}  // namespace

std::vector<Candidate> names_in_cluster(WordKind kind) {
  Candidates all;
  auto controller = Controller::connect();
  if (!controller) return all;
  controller->announce_last();
  if (kind == WordKind::job)
    add_jobs(*controller, all);
  else if (kind == WordKind::qos || kind == WordKind::account)
    add_of_site(*controller, kind, all);
  else if (kind == WordKind::reservation)
    add_reservations(*controller, all);
  else
    add_of_nodes(*controller, kind, all);
  return all;
}

}  // namespace muster::cli
