// Checks a job against the reservations that it names.
#include "controller/submit/reservation_fit.h"

#include <algorithm>
#include <optional>

#include "base/text/strings.h"
#include "sched/place/place.h"

namespace muster::controller {

namespace {

// Whether it could ever run on nodes of the partition that are in the reservation.
Result<void> fits_reservation(const Cluster& cluster, const Reservation& r,
                              const sched::ResourceRequest& request, Partition p,
                              std::vector<std::string>& warnings) {
  std::erase_if(p.nodes, [&](NodeId id) { return !r.holds_node(id); });
  if (!std::ranges::all_of(request.required_nodes, [&](NodeId id) { return r.holds_node(id); })) {
    warnings.emplace_back("Problem using reservation");
    return fail(ErrorCode::requested_node_config_unavailable);
  }
  if (p.nodes.size() < request.min_nodes) return fail(ErrorCode::requested_node_config_unavailable);
  if (auto ok = sched::feasible(cluster, request, p); !ok) return std::unexpected(ok.error());
  return {};
}

}  // namespace

Result<void> fits_reservations(const Cluster& cluster, const Job& job,
                               const sched::ResourceRequest& request, const Partition& p,
                               std::vector<std::string>& warnings) {
  if (job.spec->reservation.empty()) return {};
  std::optional<Error> refusal;
  std::vector<std::string> why;
  for (std::string_view name : split(job.spec->reservation, ',')) {
    const Reservation* r = cluster.find_reservation(name);
    if (!r) continue;
    if (!r->is_active(job.submitted) || r->has("FLEX") || r->has("ANY_NODES")) return {};
    auto ok = fits_reservation(cluster, *r, request, p, why);
    if (ok) return {};
    if (!refusal) refusal = ok.error();
  }
  if (!refusal) return {};
  warnings.insert(warnings.end(), why.begin(), why.end());
  return std::unexpected(*refusal);
}

Result<void> may_use_reservation(const Cluster& cluster, const JobSpec& spec, const Text& account) {
  for (std::string_view name : split(spec.reservation, ',')) {
    const Reservation* r = cluster.find_reservation(name);
    if (!r) return fail(ErrorCode::invalid_reservation);
    if (!r->admits(spec.user_name, account)) return fail(ErrorCode::reservation_access);
  }
  return {};
}

}  // namespace muster::controller
