// Decodes frames from clients and nodes, checks them, and passes them to the core. answers.cc and
// shares.cc handle queries and other work for single users.
#include <cxxabi.h>

#include <cstdlib>
#include <new>
#include <typeinfo>
#include <utility>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "controller/ledger/request_rules.h"
#include "controller/submit/request_check.h"
#include "io/debug_flags.h"
#include "io/files.h"
#include "io/log.h"
#include "slurmctld/service.h"

namespace muster::daemon {

namespace {

// For the log: "SubmitRequest".
std::string kind_of(const wire::Request& request) {
  const char* mangled = std::visit([](const auto& r) { return typeid(r).name(); }, request);
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), &std::free);
  std::string_view whole = name ? name.get() : mangled;
  return std::string(whole.substr(whole.rfind(':') + 1));
}

// Which jobs are hidden from a user depends on the groups.
bool asks_for_groups(const wire::Request& request) {
  auto* jobs = std::get_if<wire::JobsRequest>(&request);
  return jobs && jobs->hides;
}

bool has_partitions_for_groups(const Cluster& cluster) {
  return std::ranges::any_of(*cluster.partitions,
                             [](const Partition& p) { return !p.allow_groups.empty(); });
}

// Scripts and environments make a request large. No other request needs more than this.
constexpr std::size_t kMaxOtherBytes = 4u << 20;

// The field number of T in wire::Request: its index, counted from 1.
template <class T, std::size_t I = 0>
constexpr std::uint64_t place() {
  if constexpr (std::is_same_v<T, std::variant_alternative_t<I, wire::Request>>)
    return I + 1;
  else
    return place<T, I + 1>();
}

// Reads the first bytes of a RequestFrame: true if it contains a submission or a step. Other
// requests of such a size are refused without decoding them. We write the fields in order.
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

// The owner of a job comes from the connection. Only root may submit for other users.
Uid owner_of(const io::Peer& peer, const JobSpec& spec) {
  return peer.uid.value == 0 ? spec.uid : peer.uid;
}

void set_owner(const io::Peer& peer, JobRequest& spec, const io::Users& users) {
  if (peer.uid.value != 0) {
    spec.uid = peer.uid;
    spec.gid = peer.gid;
  }
  if (auto known = users.find(spec.uid)) spec.user_name = known->name;
  if (spec.user_name.empty()) spec.user_name = std::to_string(spec.uid.value);
  spec.script_blob = {};
  spec.environment_blob = {};
}

Result<void> set_owners(const io::Peer& peer, wire::SubmitRequest& request,
                        const io::Users& users) {
  JobRequest& spec = request.spec.edit();
  set_owner(peer, spec, users);
  // All components of a heterogeneous job have the same user and the same kind.
  for (Cow<JobRequest>& component : request.components) {
    if (!component) return fail(ErrorCode::failure, "the request contains an empty component");
    JobRequest& part = component.edit();
    set_owner(peer, part, users);
    if (part.uid != spec.uid || part.kind != spec.kind)
      return fail(ErrorCode::failure, "the components differ in user or kind");
  }
  return {};
}

Result<void> prepare_submission(const io::Peer& peer, wire::SubmitRequest& request,
                                const io::Users& users, io::BlobCache& blobs) {
  if (auto ok = set_owners(peer, request, users); !ok) return ok;
  JobRequest& spec = request.spec.edit();
  if (spec.kind == JobKind::batch) {
    if (request.script.empty()) return fail(ErrorCode::failure, "Batch script is empty");
    spec.script_blob = blobs.put(request.script);
    spec.environment_blob = blobs.put(request.environment);
  }
  return {};
}

controller::Caller caller_of(const io::Peer& peer, const io::Users& users) {
  controller::Caller caller{peer.uid, peer.gid};
  if (auto known = users.find(peer.uid)) caller.name = known->name;
  return caller;
}

}  // namespace

// Only an operator may connect as a node, because the frames of a node are trusted as reports.
void Service::on_open(io::ConnectionId id, const io::Peer& peer) {
  connections_[id] = peer;
  if (peer.role == io::PeerRole::node && !options_.is_operator(peer))
    refuse(id, peer, "greets as a node, but its user is neither root nor SlurmUser");
}

void Service::refuse(io::ConnectionId id, const io::Peer& peer, std::string_view why) {
  bad_frames_.write(io::LogLevel::error, fmt::format("{} (uid {}) {}: connection closed",
                                                     peer.address, peer.uid.value, why));
  server_->close(id);
}

void Service::on_frame(io::ConnectionId id, std::string frame) {
  if (stopping_) return;
  auto found = connections_.find(id);
  if (found == connections_.end()) return;
  const io::Peer& peer = found->second;
  if (frame.size() > kMaxOtherBytes && !options_.is_operator(peer) && !may_be_large(frame))
    return refuse(id, peer, "sent a request of more than 4 MiB that is no submission");
  try {
    if (peer.role == io::PeerRole::client) {
      auto request = decode<wire::RequestFrame>(frame, Origin::foreign);
      if (!request) return refuse(id, peer, "sent a frame that is no request");
      return on_request(id, peer, std::move(*request), frame.size());
    }
    if (options_.is_operator(peer)) on_reports(id, peer, frame);  // others were refused in on_open
  } catch (const std::bad_alloc&) {  // the core undoes what it had begun
    refuse(id, peer, "sent a frame that needs more memory than there is");
  }
}

void Service::on_reports(io::ConnectionId id, const io::Peer& peer, std::string_view frame) {
  auto reports = decode<wire::ReportBatch>(frame, Origin::foreign);
  if (!reports) return refuse(id, peer, "sent a frame that is no node's report");
  for (const wire::Report& report : reports->reports)
    if (auto* node = std::get_if<wire::RegisterReport>(&report))
      io::log_info("{}: registers as node {}", peer.address, node->name.view());
  const Time now = current_time();
  for (wire::Report& report : reports->reports) {
    const MessageType type = type_of(report);
    messages_.count(type, peer.uid);
    const MessageTimer timer(messages_, type, peer.uid);
    core_->on_report(id, std::move(report), now);
  }
}

void Service::on_close(io::ConnectionId id) {
  auto connection = connections_.extract(id);
  if (connection.empty() || stopping_) return;
  if (connection.mapped().role == io::PeerRole::node)
    core_->on_node_closed(id, current_time());
  else
    core_->on_client_closed(id, current_time());
}

void Service::on_request(io::ConnectionId id, const io::Peer& peer, wire::RequestFrame frame,
                         std::size_t bytes) {
  if (io::is_set(io::DebugFlag::protocol))
    io::log_if(io::DebugFlag::protocol, "{} of uid {}, {}", kind_of(frame.request), peer.uid.value,
               peer.address);
  const controller::ReplyTo to{id, frame.id, frame.closes_after_reply};
  messages_.count(type_of(frame.request), peer.uid);
  if (shares_->is_slowed_down(to, peer.uid, frame.request, current_time())) return;
  const Settings& settings = published_->cluster.settings();
  if (auto ok = controller::check_request(settings.request_limits, frame.request); !ok)
    return reply(to, ok.error());
  auto* submission = std::get_if<wire::SubmitRequest>(&frame.request);
  if (submission && !submission->spec)
    return reply(to, Error{ErrorCode::failure, "the request contains no job"});
  const Cluster& cluster = published_->cluster;
  const bool is_restricted =
      !options_.is_operator(peer) && (settings.private_data.any() || !(*cluster.users).empty() ||
                                      !(*cluster.coordinators).empty());
  const bool needs_identity =
      is_restricted || (asks_for_groups(frame.request) && has_partitions_for_groups(cluster));
  if (!submission && !needs_identity) return answer(to, peer, std::move(frame.request), bytes);
  const Uid user = submission ? owner_of(peer, *submission->spec) : peer.uid;
  const bool waits = !users_.cache().is_fresh(user);
  if (waits) server_->pause(id);
  users_.when_known(*loop_, user,
                    [this, to, peer, bytes, waits, request = std::move(frame.request)]() mutable {
                      if (!connections_.contains(to.connection)) return;  // the client has left
                      if (waits) server_->resume(to.connection);
                      answer(to, peer, std::move(request), bytes);
                    });
}

// Name and groups may be missing: they are looked up only if they are needed (see on_request).
controller::Viewer Service::viewer_of(const io::Peer& peer) {
  const bool operates = options_.is_operator(peer) || level_of(peer) >= AdminLevel::operates;
  controller::Viewer viewer{peer.uid, operates, {}, {}};
  if (auto known = users_.cache().find(peer.uid)) {
    viewer.name = known->name;
    viewer.groups = known->groups;
  }
  return viewer;
}

AdminLevel Service::level_of(const io::Peer& peer) const {
  if (options_.is_operator(peer)) return AdminLevel::administers;
  auto known = users_.cache().find(peer.uid);
  const UserAccess* user = known ? published_->cluster.find_user(known->name) : nullptr;
  return user ? user->admin_level : AdminLevel::none;
}

void Service::answer(controller::ReplyTo to, const io::Peer& peer, wire::Request request,
                     std::size_t bytes) {
  const auto by = controller::rule_of(request).by;
  if (by == controller::AnsweredBy::snapshot) return on_query(to, peer, std::move(request), bytes);
  const MessageTimer timer(messages_, type_of(request), peer.uid);
  if (by == controller::AnsweredBy::daemon) return answer_by_daemon(to, peer, request);
  if (vetting_ && controller::is_vetted(request)) {
    if (auto* submission = std::get_if<wire::SubmitRequest>(&request))
      if (auto ok = set_owners(peer, *submission, users_.cache()); !ok)
        return reply(to, ok.error());
    return vetting_->ask(to, caller_of(peer, users_.cache()), std::move(request), bytes,
                         [this, to, peer](wire::Request vetted, const controller::SiteSays& says) {
                           carry_out(to, peer, std::move(vetted), says);
                         });
  }
  carry_out(to, peer, std::move(request));
}

void Service::carry_out(controller::ReplyTo to, const io::Peer& peer, wire::Request request,
                        const controller::SiteSays& says) {
  if (auto* submission = std::get_if<wire::SubmitRequest>(&request))
    if (auto ok = prepare_submission(peer, *submission, users_.cache(), blobs_); !ok)
      return reply(to, ok.error());
  core_->on_request(to, caller_of(peer, users_.cache()), std::move(request), current_time(), says);
}

}  // namespace muster::daemon
