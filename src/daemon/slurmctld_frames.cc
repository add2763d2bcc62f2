// What arrives at slurmctld: frames of clients and of nodes, on their way to the core.
#include <cxxabi.h>

#include <cstdlib>
#include <new>
#include <typeinfo>
#include <utility>

#include "base/codec.h"
#include "controller/request_check.h"
#include "controller/view.h"
#include "daemon/slurmctld_service.h"
#include "io/debug_flags.h"
#include "io/files.h"
#include "io/log.h"

namespace muster::daemon {

namespace {

// "SubmitRequest", for the log
std::string kind_of(const wire::Request& request) {
  const char* mangled = std::visit([](const auto& r) { return typeid(r).name(); }, request);
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  std::string_view whole = name ? name.get() : mangled;
  return std::string(whole.substr(whole.rfind(':') + 1));
}

// Whose job it is comes from the connection; only root may submit for others.
void set_owner(const io::Peer& peer, JobSpec& spec, io::UserNames& names) {
  if (peer.uid.value != 0) {
    spec.uid = peer.uid;
    spec.gid = peer.gid;
  }
  spec.user_name = names.of(spec.uid);
  if (spec.user_name.empty()) spec.user_name = std::to_string(spec.uid.value);
  spec.script_blob = {};
  spec.environment_blob = {};
}

}  // namespace

void Service::on_frame(io::ConnectionId id, std::string frame) {
  if (stopping_) return;
  auto found = connections_.find(id);
  if (found == connections_.end()) return;
  Connection& connection = found->second;
  const io::Peer& peer = connection.peer;
  Result<wire::ReportBatch> reports = fail(ErrorCode::access_denied);
  try {
    if (!connection.is_node)
      if (auto request = decode<wire::RequestFrame>(frame, Origin::foreign))
        return on_request(id, peer, std::move(*request));
    if (is_operator(peer)) reports = decode<wire::ReportBatch>(frame, Origin::foreign);
  } catch (const std::bad_alloc&) {  // the core undoes what it has begun
    io::log_error("{}: a frame needs more memory than there is: connection closed", peer.address);
    server_->close(id);
    return;
  }
  if (!reports) {
    io::log_error("{}: a frame that is neither a request nor a node's report: connection closed",
                  peer.address);
    server_->close(id);
    return;
  }
  if (!std::exchange(connection.is_node, true))
    for (const wire::Report& report : reports->reports)
      if (auto* node = std::get_if<wire::RegisterReport>(&report))
        io::log_info("{}: registers as node {}", peer.address, node->name.view());
  const Time now = current_time();
  for (wire::Report& report : reports->reports) core_->on_report(id, std::move(report), now);
}

void Service::on_close(io::ConnectionId id) {
  auto connection = connections_.extract(id);
  if (connection.empty() || stopping_) return;
  if (connection.mapped().is_node)
    core_->on_node_closed(id, current_time());
  else
    core_->on_client_closed(id, current_time());
}

void Service::on_request(io::ConnectionId id, const io::Peer& peer, wire::RequestFrame frame) {
  if (io::is_set(io::DebugFlag::protocol))
    io::log_if(io::DebugFlag::protocol, "{} of uid {}, {}", kind_of(frame.request), peer.uid.value,
               peer.address);
  controller::ReplyTo to{id, frame.id, frame.is_all};
  const RequestLimits& limits = published_->cluster.settings().request_limits;
  if (auto ok = controller::check_request(limits, frame.request); !ok) return reply(to, ok.error());
  if (controller::is_query(frame.request))
    return on_query(to, viewer_of(peer), std::move(frame.request));
  if (on_daemon_request(to, peer, frame.request)) return;
  if (auto* submission = std::get_if<wire::SubmitRequest>(&frame.request))
    if (auto ok = prepare_submission(peer, *submission); !ok) return reply(to, ok.error());
  core_->on_request(to, {peer.uid, peer.gid}, std::move(frame.request), current_time());
}

// Nobody else waits for a long answer.
void Service::on_query(controller::ReplyTo to, controller::Viewer viewer, wire::Request query) {
  const bool is_short = controller::has_short_answer(*published_, query);
  auto answer = [this, to, viewer = std::move(viewer), query = std::move(query),
                 published = published_] {
    try {
      controller::answer_query(
          *published, viewer, query, current_time(),
          [&](wire::Answer part, bool more) { send_part(to, std::move(part), more); });
    } catch (const std::bad_alloc&) {
      reply(to, Error{ErrorCode::too_large, "there is not enough memory for the answer"});
    }
  };
  if (is_short)
    answer();
  else
    loop_->run_blocking(std::move(answer));
}

Result<void> Service::prepare_submission(const io::Peer& peer, wire::SubmitRequest& request) {
  if (!request.spec) return fail(ErrorCode::failure, "the request holds no job");
  JobSpec& spec = request.spec.edit();
  set_owner(peer, spec, user_names_);
  // A heterogeneous job belongs to one user and is of one kind.
  for (Cow<JobSpec>& component : request.components) {
    if (!component) return fail(ErrorCode::failure, "the request holds an empty component");
    JobSpec& part = component.edit();
    set_owner(peer, part, user_names_);
    if (part.uid != spec.uid || part.kind != spec.kind)
      return fail(ErrorCode::failure, "the components are not one job");
  }
  if (spec.kind == JobKind::batch) {
    if (request.script.empty()) return fail(ErrorCode::failure, "Batch script is empty");
    spec.script_blob = blobs_.put(request.script);
    spec.environment_blob = blobs_.put(request.environment);
  }
  return {};
}

}  // namespace muster::daemon
