// Answers sbcast: gives permission to write files on the nodes of a running job, as a munge
// credential for their slurmds.
#include <algorithm>

#include "base/codec/codec.h"
#include "base/text/hostlist.h"
#include "io/net/munge.h"
#include "io/wall_clock.h"
#include "slurmctld/service.h"
#include "wire/step_messages.h"

namespace muster::daemon {

namespace {

constexpr Seconds kGrantLasts{300};  // until the first byte must have reached the last node

// The nodes of the job, or of one of its steps.
Result<std::vector<NodeId>> nodes_of(const Job& job, const std::optional<StepId>& step) {
  std::vector<NodeId> nodes;
  if (!step) {
    for (const NodeShare& share : job.run->allocation) nodes.push_back(share.node);
    return nodes;
  }
  auto found = job.run->steps.find(*step);
  if (found == job.run->steps.end() || is_ended(found->second.state))
    return fail(ErrorCode::invalid_job_id);
  for (const StepNode& place : found->second.nodes) nodes.push_back(place.node);
  return nodes;
}

}  // namespace

void Service::grant_broadcast(controller::ReplyTo to, const io::Peer& peer,
                              const wire::BroadcastRequest& request) {
  auto snapshot = published_;
  const Cluster& cluster = snapshot->cluster;
  const Job* job = cluster.jobs.find(request.job);
  if (!job) return reply(to, Error{ErrorCode::invalid_job_id, {}});
  if (!options_.is_operator(peer) && job->spec->uid != peer.uid)
    return reply(to, Error{ErrorCode::access_denied, {}});
  if (job->state == JobState::pending) return reply(to, Error{ErrorCode::job_pending, {}});
  if (is_ended(job->state)) return reply(to, Error{ErrorCode::already_done, {}});
  auto nodes = nodes_of(*job, request.step);
  if (!nodes) return reply(to, nodes.error());

  wire::BroadcastReply answer;
  for (NodeId id : *nodes) {
    const NodeConfig& node = cluster.nodes.at(id).config;
    answer.places.push_back(
        {node.name, node.address.empty() ? node.name : node.address, node.port, {}});
  }
  if (!options_.slurmd_user) return reply(to, std::move(answer));
  std::vector<std::string> names;
  for (const wire::StepPlace& place : answer.places) names.push_back(place.node.str());
  std::uint64_t memory_mib = 0;
  for (const NodeShare& share : job->run->allocation)
    memory_mib = std::max(memory_mib, share.memory_mib);
  const wire::FileGrant grant{.job = job->id,
                              .uid = peer.uid,
                              .gid = peer.gid,
                              .nodes = compress_hostlist_sorted(names),
                              .expires = io::wall_clock() + kGrantLasts,
                              .owner = job->spec->uid,
                              .owner_group = job->spec->gid,
                              .memory_mib = memory_mib};
  background_->post([this, to, grant, answer = std::move(answer)]() mutable {
    auto sealed =
        io::encode_credential(encode(grant), *options_.slurmd_user, options_.munge_socket);
    if (!sealed) return reply(to, sealed.error());
    answer.grant = std::move(*sealed);
    reply(to, answer);  // a copy: this is called again if memory runs out
  });
}

}  // namespace muster::daemon
