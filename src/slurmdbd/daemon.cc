// Starts and stops the daemon, and serves controllers. answers.cc serves commands.
#include "slurmdbd/daemon.h"

#include <future>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "io/log.h"
#include "io/wall_clock.h"

namespace muster::dbd {

namespace {

constexpr std::size_t kMostClientBytes = 4u << 20;
constexpr std::chrono::minutes kPurgeEvery{60}, kFirstPurge{1};
constexpr Millis kReturnsAfter{2000};

}  // namespace

Daemon::Daemon(DaemonOptions options, config::DbdConf conf, const Databases& databases)
    : options_(std::move(options)),
      conf_(std::move(conf)),
      started_(io::wall_clock()),
      accounts_(databases.accounts),
      records_(databases.writes, databases.reads),
      purge_(databases.purges),
      site_(accounts_, records_, controllers_) {}

config::DbdConf Daemon::conf() const {
  const std::lock_guard lock(conf_mutex_);
  return conf_;
}

bool Daemon::is_operator(const io::Peer& peer) const {
  return peer.uid.value == 0 || peer.uid == options_.slurm_user;
}

Result<void> Daemon::start(io::Loop& loop, const io::ServerOptions& server) {
  loop_ = &loop;
  if (auto ok = site_.load(); !ok) return ok;
  site_.start();
  store_thread_ = std::make_unique<io::Worker>("records");
  purge_thread_ = std::make_unique<io::Worker>("purge");
  auto listening = std::make_shared<std::promise<Result<void>>>();
  loop.post([this, &server, listening] { listening->set_value(listen(server)); });
  return listening->get_future().get();
}

Result<void> Daemon::listen(const io::ServerOptions& server) {
  auto listening = io::Server::listen(
      *loop_, server,
      {.on_open = [this](io::ConnectionId id, const io::Peer& peer) { on_open(id, peer); },
       .on_frame = [this](io::ConnectionId id, const std::string& frame) { on_frame(id, frame); },
       .on_close = [this](io::ConnectionId id) { on_close(id); },
       .is_needed =
           [this](io::ConnectionId id) {
             auto found = connections_.find(id);
             return found != connections_.end() && found->second.role == io::PeerRole::node;
           }});
  if (!listening) return std::unexpected(listening.error());
  server_ = std::move(*listening);
  controllers_.use(*server_);
  shares_.emplace(*loop_, *server_, options_.slurm_user, stopping_);
  loop_->after(kFirstPurge, [this] { purge_later(); });
  return {};
}

void Daemon::stop() {
  if (stopping_.exchange(true)) return;
  if (loop_) {
    // After this the loop's thread, which checks stopping_, no longer uses this object.
    auto left = std::make_shared<std::promise<void>>();
    loop_->post([left] { left->set_value(); });
    left->get_future().wait();
  }
  controllers_.stop();
  purge_.stop();
  site_.stop();
  for (auto* worker : {&store_thread_, &purge_thread_})
    if (*worker) (*worker)->stop();
  if (shares_) shares_->stop();
  if (loop_) loop_->stop_blocking();
  server_.reset();
}

void Daemon::refuse(io::ConnectionId id, const io::Peer& peer, std::string_view why) {
  bad_frames_.write(io::LogLevel::error, fmt::format("{} (uid {}) {}: connection closed",
                                                     peer.address, peer.uid.value, why));
  server_->close(id);
}

// Only root and SlurmUser may connect as a controller, because what it reports is believed.
void Daemon::on_open(io::ConnectionId id, const io::Peer& peer) {
  connections_[id] = peer;
  if (peer.role == io::PeerRole::node && !is_operator(peer))
    refuse(id, peer, "greets as a controller, but its user is neither root nor SlurmUser");
}

void Daemon::on_close(io::ConnectionId id) {
  connections_.erase(id);
  if (stopping_) return;
  if (auto feed = controllers_.feed_of(id))
    io::log_info("cluster {}: its slurmctld has left", feed->cluster.view());
  controllers_.leave(id);
}

void Daemon::on_frame(io::ConnectionId id, const std::string& frame) {
  auto found = connections_.find(id);
  if (stopping_ || found == connections_.end()) return;
  const io::Peer& peer = found->second;
  try {
    if (peer.role == io::PeerRole::client) {
      if (frame.size() > kMostClientBytes && !is_operator(peer))
        return refuse(id, peer, "sent a request of more than 4 MiB");
      auto request = decode<wire::RequestFrame>(frame, Origin::foreign);
      if (!request) return refuse(id, peer, "sent a frame that is no request");
      return answer({id, request->id, request->closes_after_reply}, peer, request->request);
    }
    if (!is_operator(peer)) return;  // was refused in on_open
    auto report = decode<wire::ControllerFrame>(frame, Origin::foreign);
    if (!report) return refuse(id, peer, "sent a frame that is no controller's report");
    on_report(id, peer, std::move(report->report));
  } catch (const std::bad_alloc&) {
    refuse(id, peer, "sent a frame that needs more memory than there is");
  }
}

void Daemon::on_report(io::ConnectionId id, const io::Peer& peer, wire::ControllerReport report) {
  if (auto* entering = std::get_if<wire::RegisterCluster>(&report))
    return enter(id, peer, std::move(*entering));
  const auto feed = controllers_.feed_of(id);
  if (!feed) return;  // it has to register first
  if (const auto* records = std::get_if<wire::StoreRecords>(&report))
    return store_thread_->post([this, id, records = *records] { store(id, records); });
  if (const auto* flushed = std::get_if<wire::RecordsFlushed>(&report))
    return controllers_.on_flushed(id, flushed->id);
  if (const auto* heard = std::get_if<wire::NewsHeard>(&report))
    site_.post([this, cluster = feed->cluster, version = heard->version] {
      site_.heard(cluster, version);
    });
}

void Daemon::enter(io::ConnectionId id, const io::Peer& peer, wire::RegisterCluster report) {
  const Text& name = report.cluster.name;
  if (name.empty() || report.stream.empty() || report.stream.size() > 64)
    return refuse(id, peer, "registers without a name");
  const std::string address = peer.address.substr(0, peer.address.rfind(':'));
  report.cluster.control_host = address;
  Feed feed{name, report.stream};
  site_.post([this, id, feed = std::move(feed), report = std::move(report)] {
    if (controllers_.has_another(id, feed))
      return give_up(id, fmt::format("another slurmctld of cluster {} is connected: that of {} is "
                                     "turned away",
                                     feed.cluster.view(), report.cluster.control_host.view()));
    if (auto ok = site_.enter(id, feed, report, io::wall_clock()); !ok)
      return give_up(id, ok.error().text());
    io::log_info("cluster {}: its slurmctld at {}:{} is there", feed.cluster.view(),
                 report.cluster.control_host.view(), report.cluster.control_port);
    store_thread_->post([this, id, feed] { tell_last(id, feed); });
  });
}

// It comes back, and its records with it; not at once, since all accounts are told again each time.
void Daemon::give_up(io::ConnectionId id, const std::string& why) {
  troubles_.write(io::LogLevel::error, why);
  controllers_.send(id, wire::ClusterRefused{why});
  controllers_.leave(id);
  loop_->after(kReturnsAfter, [this, id] {
    if (!stopping_) server_->close(id);
  });
}

void Daemon::tell_last(io::ConnectionId id, const Feed& feed) {
  auto last = records_.last_of(feed);
  if (!last) return give_up(id, last.error().text());
  controllers_.send(id, wire::ClusterRegistered{*last});
}

void Daemon::store(io::ConnectionId id, const wire::StoreRecords& report) {
  const auto feed = controllers_.feed_of(id);
  if (!feed) return;  // it has left, or was given up
  auto batch = decode<wire::RecordBatch>(report.records);
  if (!batch)
    return give_up(
        id, fmt::format("cluster {}: batch {} is malformed", feed->cluster.view(), report.number));
  auto stored = records_.ingest(*feed, report.number, batch->records);
  if (!stored) return give_up(id, stored.error().text());
  if (!*stored)
    troubles_.write(io::LogLevel::info, fmt::format("cluster {}: batch {} was stored already",
                                                    feed->cluster.view(), report.number));
  controllers_.send(id, wire::RecordsStored{report.number});
}

void Daemon::purge_later() {
  if (stopping_) return;
  purge_thread_->post([this] {
    if (auto ok = purge_.run(conf(), io::wall_clock()); !ok)
      io::log_error("purging: {}", ok.error().text());
    loop_->after(kPurgeEvery, [this] { purge_later(); });
  });
}

}  // namespace muster::dbd
