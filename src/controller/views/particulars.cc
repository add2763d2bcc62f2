// Names the nodes, the reservation, the limit or the jobs that keep a job waiting.
#include "controller/views/particulars.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "model/accounts/qos.h"

namespace muster::controller {

namespace {

using fmt::format;
using sched::Reason;

constexpr std::size_t kMostNamed = 5;

std::string listed(const std::vector<std::string>& names) {
  if (names.size() <= kMostNamed) return join(names, ", ");
  return format("{} and {} more", join({names.begin(), names.begin() + kMostNamed}, ", "),
                names.size() - kMostNamed);
}

class Particulars {
 public:
  Particulars(const Cluster& cluster, const Visibility& visible, const Job& job, Time now)
      : cluster_(cluster), visible_(visible), job_(job), now_(now) {}

  std::string about(const sched::Wait& wait) const {
    switch (wait.reason) {
      case Reason::partition_too_small:
      case Reason::partition_node_limit:
        return node_count();
      case Reason::dependency_never_satisfied:
        return format(
            "scancel {0} removes it; scontrol update jobid={0} dependency= lets it start.",
            number());
      case Reason::required_node_not_available:
      case Reason::nodes_down:
      case Reason::resources:
      case Reason::priority:
        return join_sentences({out_of_service(),
                               reservation(wait.reason == Reason::required_node_not_available),
                               without_limit()});
      case Reason::limit:
        return limit(wait.detail);
      default:
        return {};
    }
  }

 private:
  static std::string join_sentences(std::vector<std::string> all) {
    std::erase(all, "");
    return join(all, " ");
  }

  std::uint32_t number() const { return job_.array_id ? job_.array_id.value : job_.id.value; }
  const Partition* partition() const { return cluster_.partition_of(job_); }

  std::string node_count() const {
    const Partition* p = partition();
    if (!p || !visible_.sees_partitions()) return {};
    const std::size_t most = std::min<std::size_t>(p->nodes.size(), p->max_nodes.value_or(~0u));
    if (job_.spec->min_nodes <= most) return {};
    return format(
        "It asks for {} nodes; a job in partition {} can have {}. It never starts so: "
        "scancel {}, and submit it with fewer.",
        job_.spec->min_nodes, p->name.view(), most, number());
  }

  std::string out_of_service() const {
    const Partition* p = partition();
    if (!p || !visible_.sees_nodes()) return {};
    std::vector<std::string> nodes;
    for (NodeId id : p->nodes) {
      const Node* node = cluster_.nodes.find(id);
      if (!node || node->future || is_available(*node)) continue;
      nodes.push_back(format("{} ({}{})", node->config.name.view(), node_state_word(*node),
                             node->reason.empty() ? "" : format(": {}", node->reason.view())));
    }
    return nodes.empty() ? "" : format("Out of service: {}.", listed(nodes));
  }

  // A maintenance, or any reservation of others, that comes before the job could end, or goes on.
  std::string reservation(bool any) const {
    const Partition* p = partition();
    if (!p) return {};
    for (const Reservation& r : *cluster_.reservations) {
      const Time end = job_.time_limit == kUnlimited ? Time::max() : now_ + job_.time_limit;
      const bool is_near = r.start_seen(now_) < end && r.end_seen(now_) > now_;
      const bool holds = std::ranges::any_of(p->nodes, [&](NodeId n) { return r.holds_node(n); });
      const bool is_maintenance = r.has("MAINT");
      if ((!is_maintenance && !any) || !is_near || !holds || !visible_.sees(r)) continue;
      if (has_name(job_.spec->reservation, r.name)) continue;
      const std::string_view kind = is_maintenance ? "maintenance" : "reservation";
      if (r.start_seen(now_) <= now_)
        return format("The {} {} lasts until {}.", kind, r.name.view(),
                      format_date(r.end_seen(now_)));
      return format("The {} {} begins at {}, before the job's time limit ends.", kind,
                    r.name.view(), format_date(r.start_seen(now_)));
    }
    return {};
  }

  template <class Counts>
  std::vector<std::string> running(Counts counts) const {
    std::vector<std::string> ids;
    for (std::uint32_t id : cluster_.active.ids()) {
      const Job& other = cluster_.jobs.at(JobId{id});
      if (!is_active(other.state) || !visible_.sees(other) || !counts(other)) continue;
      ids.push_back(other.task_id == kNoTask
                        ? std::to_string(id)
                        : format("{}_{}", other.array_id.value, other.task_id));
    }
    return ids;
  }

  // When they end is not known, so neither is when this job starts.
  std::string without_limit() const {
    const Partition* p = partition();
    if (!p) return {};
    const auto ids = running([&](const Job& other) {
      return other.end_limit() == Time::max() &&
             std::ranges::any_of(other.run->allocation, [&](const NodeShare& share) {
               return std::ranges::find(p->nodes, share.node) != p->nodes.end();
             });
    });
    if (ids.empty()) return {};
    return format("{} {} {} without a time limit.", ids.size() == 1 ? "Job" : "Jobs", listed(ids),
                  ids.size() == 1 ? "runs" : "run");
  }

  // The number that a limit on running jobs allows.
  std::optional<std::uint32_t> allowed(std::string_view name) const {
    const Qos* qos = cluster_.find_qos(job_.qos);
    if (!qos) return std::nullopt;
    if (name == "QOSMaxJobsPerUserLimit") return qos->limits.per_user.jobs;
    if (name == "QOSGrpJobsLimit") return qos->limits.group.jobs;
    if (name == "MaxJobsPerAccount") return qos->limits.per_account.jobs;
    return std::nullopt;
  }

  std::string limit(std::string_view name) const {
    const bool is_of_user = name.contains("PerUser") || name == "AssocMaxJobsLimit";
    const bool is_of_account = name.contains("PerAccount") || name.starts_with("Assoc");
    const bool is_of_qos = !name.starts_with("Assoc");
    const auto ids = running([&](const Job& other) {
      return (!is_of_user || other.spec->uid == job_.spec->uid) &&
             (!is_of_account || other.account == job_.account) &&
             (!is_of_qos || other.qos == job_.qos);
    });
    std::vector<std::string> parts;
    if (const auto most = allowed(name))
      parts.push_back(format("QOS {} allows {} running {}.", job_.qos.view(), *most,
                             *most == 1 ? "job" : "jobs"));
    if (!ids.empty())
      parts.push_back(format("It counts {} {}{}.", ids.size() == 1 ? "job" : "jobs", listed(ids),
                             is_of_user ? format(" of {}", job_.spec->user_name.view()) : ""));
    return join(parts, " ");
  }

  const Cluster& cluster_;
  const Visibility& visible_;
  const Job& job_;
  const Time now_;
};

}  // namespace

std::string particulars(const Cluster& cluster, const Visibility& visible, const Job& job,
                        const sched::Wait& wait, Time now) {
  return Particulars(cluster, visible, job, now).about(wait);
}

}  // namespace muster::controller
