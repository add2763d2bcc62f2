// Daemon: slurmdbd's requests and reports, and the threads that answer them:
//
//   io        decodes frames and passes them on
//   accounts  changes and shows accounts, users and QOS; tells controllers
//   records   stores what controllers report; purges what is too old
//   sacct     answers queries; users take turns
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "config/files/slurmdbd_conf.h"
#include "controller/ledger/host.h"
#include "io/log_limit.h"
#include "io/loop/worker.h"
#include "io/net/server.h"
#include "slurmctld/users/shares.h"
#include "slurmctld/users/users.h"
#include "slurmdbd/controllers.h"
#include "slurmdbd/purge.h"
#include "slurmdbd/site_keeper.h"
#include "slurmdbd/store/sql_accounting.h"
#include "slurmdbd/store/sql_accounts.h"
#include "wire/client_messages.h"

namespace muster::dbd {

struct DaemonOptions {
  std::string host_name;
  Uid slurm_user;
  std::function<Result<config::DbdConf>()> load;  // reads the configuration again
  std::function<void()> stop;                     // asks main to end the daemon
};

// Connections to the same database, so that one kind of work does not delay another. With SQLite
// all are the same.
struct Databases {
  SqlDatabase &accounts, &writes, &reads, &purges;
};

class Daemon {
 public:
  Daemon(DaemonOptions options, config::DbdConf conf, const Databases& databases);
  ~Daemon() { stop(); }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  Result<void> start(io::Loop& loop, const io::ServerOptions& server);
  void reconfigure();  // SIGHUP
  void stop();         // not on the loop's thread

 private:
  Result<void> listen(const io::ServerOptions& server);
  void on_open(io::ConnectionId id, const io::Peer& peer);
  void on_frame(io::ConnectionId id, const std::string& frame);
  void on_close(io::ConnectionId id);
  void refuse(io::ConnectionId id, const io::Peer& peer, std::string_view why);
  bool is_operator(const io::Peer& peer) const;

  // --- controllers ---
  void on_report(io::ConnectionId id, const io::Peer& peer, wire::ControllerReport report);
  void enter(io::ConnectionId id, const io::Peer& peer, wire::RegisterCluster report);
  void tell_last(io::ConnectionId id, const Feed& feed);
  void store(io::ConnectionId id, const wire::StoreRecords& report);
  void give_up(io::ConnectionId id, const std::string& why);

  // --- commands ---
  void answer(controller::ReplyTo to, const io::Peer& peer, const wire::Request& request);
  void reply(controller::ReplyTo to, wire::Answer answer);
  void list_records(controller::ReplyTo to, const io::Peer& peer,
                    const wire::AccountingRequest& request);
  void send_listing(controller::ReplyTo to, const io::Peer& peer, wire::AccountingRequest request);
  void ask_accounts(controller::ReplyTo to, const io::Peer& peer,
                    const wire::AccountsRequest& request);
  void answer_accounts(controller::ReplyTo to, const io::Peer& peer,
                       const wire::AccountsRequest& request);
  void administrate(controller::ReplyTo to, const io::Peer& peer, std::function<void()> work);
  void reload(controller::ReplyTo to);

  void purge_later();
  config::DbdConf conf() const;

  const DaemonOptions options_;
  mutable std::mutex conf_mutex_;  // guards the next member
  config::DbdConf conf_;
  Time started_;
  std::atomic<bool> stopping_ = false;
  io::Loop* loop_ = nullptr;
  std::unique_ptr<io::Server> server_;
  std::map<io::ConnectionId, io::Peer> connections_;  // on the loop
  io::LogLimit bad_frames_{20, Millis{10000}}, troubles_{5, Millis{60000}};
  daemon::KnownUsers users_{stopping_};

  SqlAccounts accounts_;
  SqlAccounting records_;
  Purge purge_;
  Controllers controllers_;
  // Declared last, so that they stop before the members they use are destroyed.
  std::optional<daemon::FairShares> shares_;  // from listen() on
  SiteKeeper site_;
  std::unique_ptr<io::Worker> store_thread_, purge_thread_;
};

}  // namespace muster::dbd
