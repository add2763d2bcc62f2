// scontrol listpids: the processes of the steps on a node, as their slurmstepds tell.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/strings.h"
#include "cli/lib/environment.h"
#include "cli/scontrol_session.h"
#include "cli/step_connection.h"

namespace muster::cli {

namespace {

// The node whose name is given, or the one that this program runs on.
Result<std::string> node_name(ScontrolSession& session, Words words) {
  if (words.size() > 1) return words[1];
  if (const char* name = std::getenv("SLURMD_NODENAME")) return name;
  auto reply = session.ask_for<wire::NodesReply>(wire::NodesRequest{});
  if (!reply) return std::unexpected(reply.error());
  const std::string host = short_host_name();
  for (const wire::NodeView& view : reply->nodes)
    if (view.node->config.hostname == host || view.node->config.name == host)
      return view.node->config.name.str();
  return host;
}

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

// False where the step has nothing on the node, or is not the caller's to look at.
bool print_step(ScontrolSession& session, const Job& job, StepId step, const std::string& node) {
  auto reply = session.ask_for<wire::StepReply>(wire::AttachStepRequest{job.id, step});
  if (!reply) return false;
  auto place = std::ranges::find(reply->places, node,
                                 [](const wire::StepPlace& here) { return here.node.view(); });
  if (place == reply->places.end()) return false;
  auto used =
      ask_usage(session.controller->config(), {job.id, place->attempt, step}, place->key, *place);
  if (!used) return false;  // it has just ended
  for (std::size_t i = 0; i < used->pids.size(); ++i)
    print_row(used->pids[i], job, step, *place,
              i < used->ranks.size() ? used->ranks[i] : wire::kNoRank);
  return true;
}

void complain(ScontrolSession& session, const std::optional<wire::JobRef>& wanted,
              const std::string& node) {
  if (!wanted) return session.error("No job steps exist on this node.");
  if (wanted->step)
    return session.error("StepId={} does not exist on node {}.", wire::job_ref_text(*wanted), node);
  session.error("There are no steps for job {} on node {}.", wanted->job.value, node);
}

}  // namespace

void scontrol_list_pids(ScontrolSession& session, Words words) {
  std::optional<wire::JobRef> wanted;
  if (!words.empty() && words[0] != "*") {
    auto ref = wire::parse_job_ref(words[0]);
    if (!ref) return session.error("\"{}\" does not look like a jobid", words[0]);
    wanted = std::move(*ref);
  }
  auto node = node_name(session, words);
  if (!node) return session.error("{}", node.error().text());
  wire::JobsRequest request;
  request.with_steps = true;
  if (wanted) request.filter.jobs.push_back({wanted->job, wanted->tasks, std::nullopt});
  auto reply = session.ask_for<wire::JobsReply>(request);

  fmt::print("PID      JOBID    STEPID   LOCALID GLOBALID\n");
  bool any = false;
  if (reply)
    for (const wire::JobView& view : reply->jobs)
      for (const auto& [id, step] : view.job->steps) {
        if (is_ended(step.state) || id == kExternStep) continue;
        if (wanted && wanted->step && *wanted->step != id) continue;
        any |= print_step(session, *view.job, id, *node);
      }
  if (!any) complain(session, wanted, *node);
}

}  // namespace muster::cli
