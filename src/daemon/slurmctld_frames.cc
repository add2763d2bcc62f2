// What arrives at slurmctld: frames of clients and of nodes, on their way to the core. Queries and
// other work for single users: slurmctld_shares.cc.
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

// Scripts and environments make a request large; of anything else this is a great deal.
constexpr std::size_t kMaxOtherBytes = 4u << 20;

// The place of T in wire::Request, counted from 1: the number of its field.
template <class T, std::size_t I = 0>
constexpr std::uint64_t place() {
  if constexpr (std::is_same_v<T, std::variant_alternative_t<I, wire::Request>>)
    return I + 1;
  else
    return place<T, I + 1>();
}

// Whether a RequestFrame holds a submission or a step, by its first bytes: the others are not worth
// decoding at such a size. Ours write the fields in order.
bool may_be_large(std::string_view frame) {
  auto number = [&]() -> std::uint64_t {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !frame.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(frame.front());
      frame.remove_prefix(1);
      value |= std::uint64_t{byte & 127u} << shift;
      if (byte < 128) return value;
    }
    return 0;
  };
  constexpr std::uint64_t kNumber = 0, kBytes = 2;  // kinds of fields
  std::uint64_t key = number();
  if (key == (1 << 3 | kNumber)) {
    number();  // the id
    key = number();
  }
  if (key != (2 << 3 | kBytes)) return false;
  number();  // the length
  const std::uint64_t kind = number() >> 3;
  return kind == place<wire::SubmitRequest>() || kind == place<wire::StepRequest>();
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
  if (frame.size() > kMaxOtherBytes && !is_operator(peer) && !may_be_large(frame)) {
    io::log_error(
        "uid {} sent a request of {} bytes, more than {} and no submission: connection "
        "closed",
        peer.uid.value, frame.size(), kMaxOtherBytes);
    server_->close(id);
    return;
  }
  Result<wire::ReportBatch> reports = fail(ErrorCode::access_denied);
  try {
    if (!connection.is_node)
      if (auto request = decode<wire::RequestFrame>(frame, Origin::foreign))
        return on_request(id, peer, std::move(*request), frame.size());
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

void Service::on_request(io::ConnectionId id, const io::Peer& peer, wire::RequestFrame frame,
                         std::size_t bytes) {
  if (io::is_set(io::DebugFlag::protocol))
    io::log_if(io::DebugFlag::protocol, "{} of uid {}, {}", kind_of(frame.request), peer.uid.value,
               peer.address);
  controller::ReplyTo to{id, frame.id, frame.is_all};
  if (is_slowed_down(to, peer, frame.request)) return;
  const RequestLimits& limits = published_->cluster.settings().request_limits;
  if (auto ok = controller::check_request(limits, frame.request); !ok) return reply(to, ok.error());
  if (controller::is_query(frame.request))
    return on_query(to, peer, std::move(frame.request), bytes);
  if (on_daemon_request(to, peer, frame.request)) return;
  if (auto* submission = std::get_if<wire::SubmitRequest>(&frame.request))
    if (auto ok = prepare_submission(peer, *submission); !ok) return reply(to, ok.error());
  core_->on_request(to, {peer.uid, peer.gid}, std::move(frame.request), current_time());
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
