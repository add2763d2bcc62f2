// scontrol listpids and pidinfo: the processes of steps on a node, as slurmstepd reports them.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text/strings.h"
#include "cli/lib/step_connection.h"
#include "cli/options/environment.h"
#include "cli/scontrol/session.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

namespace {

void print_row(std::uint32_t pid, const Job& job, StepId step, const wire::StepPlace& place,
               std::uint32_t rank) {
  std::string local = "-", global = "-";
  auto found = std::ranges::find(place.ranks, rank);
  if (found != place.ranks.end()) {
    local = std::to_string(found - place.ranks.begin());
    global = std::to_string(rank);
  }
  fmt::print("{:<8} {:<8} {:<8} {:<7} {:<8}\n", pid, job.id.value, step_name(step), local, global);
}

struct StepOnNode {
  wire::StepPlace place;
  wire::StepUsage used;
};

// Nothing if the step is not on the node, has just ended, or belongs to another user.
std::optional<StepOnNode> look_at(ScontrolSession& session, const Job& job, StepId step,
                                  const std::string& node) {
  auto reply = session.ask_for<wire::StepReply>(wire::AttachStepRequest{job.id, step});
  if (!reply) return std::nullopt;
  auto place = std::ranges::find(reply->places, node,
                                 [](const wire::StepPlace& here) { return here.node.view(); });
  if (place == reply->places.end()) return std::nullopt;
  auto used =
      ask_usage(session.controller->config(), {job.id, place->attempt, step}, place->key, *place);
  if (!used) return std::nullopt;
  return StepOnNode{std::move(*place), std::move(*used)};
}

bool print_step(ScontrolSession& session, const Job& job, StepId step, const std::string& node) {
  auto found = look_at(session, job, step, node);
  if (!found) return false;
  const auto& [place, used] = *found;
  for (std::size_t i = 0; i < used.pids.size(); ++i)
    print_row(used.pids[i], job, step, place,
              i < used.ranks.size() ? used.ranks[i] : wire::kNoRank);
  return true;
}

bool runs_process(ScontrolSession& session, const Job& job, const std::string& node,
                  std::uint32_t pid) {
  return std::ranges::any_of(job.run->steps, [&](const auto& entry) {
    if (is_ended(entry.second.state)) return false;
    auto found = look_at(session, job, entry.first, node);
    return found && std::ranges::find(found->used.pids, pid) != found->used.pids.end();
  });
}

void print_remaining(const Job& job, Time now) {
  constexpr std::chrono::days kNeverMeans{365};  // a job without limit is expected to end in a year
  Time end = job.end_limit() == Time::max() ? job.run->started + kNeverMeans : job.end_limit();
  fmt::print("Slurm JobId={} ends at {}Job remaining time is {} seconds\n", job.id.value,
             date_line(end), std::chrono::floor<Seconds>(end - now).count());
}

void complain(ScontrolSession& session, const std::optional<wire::JobRef>& wanted,
              const std::string& node) {
  if (!wanted) return session.error("No job steps exist on this node.");
  if (wanted->step)
    return session.error("StepId={} does not exist on node {}.", wire::job_ref_text(*wanted), node);
  session.error("There are no steps for job {} on node {}.", wanted->job.value, node);
}

}  // namespace

Result<wire::NodeView> own_node(ScontrolSession& session) {
  auto reply = session.ask_for<wire::NodesReply>(wire::NodesRequest{});
  if (!reply) return std::unexpected(reply.error());
  const char* name = std::getenv("SLURMD_NODENAME");
  const std::string host = short_host_name();
  for (const wire::NodeView& view : reply->nodes) {
    const NodeConfig& config = view.node->config;
    if (name ? config.name == name : config.hostname == host || config.name == host) return view;
  }
  return fail(ErrorCode::invalid_node_name);
}

void scontrol_list_pids(ScontrolSession& session, Words words) {
  std::optional<wire::JobRef> wanted;
  if (!words.empty() && words[0] != "*") {
    auto ref = wire::parse_job_ref(words[0]);
    if (!ref) return session.error("\"{}\" does not look like a jobid", words[0]);
    wanted = std::move(*ref);
  }
  std::string node = short_host_name();
  if (words.size() > 1)
    node = words[1];
  else if (auto own = own_node(session))
    node = own->node->config.name.str();
  wire::JobsRequest request;
  if (wanted) request.filter.jobs.push_back({wanted->job, wanted->tasks, std::nullopt});
  auto reply = session.ask_for<wire::JobsReply>(request);

  fmt::print("PID      JOBID    STEPID   LOCALID GLOBALID\n");
  bool any = false;
  if (reply)
    for (const wire::JobView& view : reply->jobs)
      for (const auto& [id, step] : view.job->run->steps) {
        if (is_ended(step.state) || id == kExternStep) continue;
        if (wanted && wanted->step && *wanted->step != id) continue;
        any |= print_step(session, *view.job, id, node);
      }
  if (!any) complain(session, wanted, node);
}

void scontrol_pid_info(ScontrolSession& session, Words words) {
  if (words.empty()) return session.error("missing argument for keyword:pidinfo");
  auto pid = parse_number<std::uint32_t>(words[0]);
  auto own = own_node(session);
  auto reply = session.ask_for<wire::JobsReply>(wire::JobsRequest{});
  if (pid && own && reply)
    for (const wire::JobView& view : reply->jobs)
      if (runs_process(session, *view.job, own->node->config.name.str(), *pid))
        return print_remaining(*view.job, reply->now);
  session.error("Failed to locate job for requested pid");
}

}  // namespace muster::cli
