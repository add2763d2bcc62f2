// DatabaseLink: slurmctld's connection to slurmdbd, where that keeps accounting. Records leave the
// queue on disk one batch after the other, and are dropped from it when slurmdbd has stored them.
// What is said of accounts is kept on disk, so that the controller starts and schedules without
// slurmdbd, with what it knew last.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accounts/first_rows.h"
#include "io/log_limit.h"
#include "io/net/server.h"
#include "io/store/record_queue.h"
#include "io/store/sqlite_accounts.h"
#include "model/accounts/accounts_news.h"
#include "slurmctld/accounting_feed.h"
#include "wire/dbd.h"

namespace muster::daemon {

class DatabaseLink {
 public:
  struct Parts {
    io::Endpoint endpoint;
    std::unique_ptr<io::SqliteAccounts> known;  // what was said of accounts last
    io::RecordQueue* queue = nullptr;           // the feed's store
  };
  DatabaseLink(Parts parts, AccountingFeed& feed, const std::atomic<bool>& stopping)
      : parts_(std::move(parts)), feed_(feed), stopping_(stopping) {}

  // What slurmdbd said last; nothing if it has never said anything.
  Result<std::optional<AccountsNews>> last_known();
  // `on_news` is called on the loop.
  void start(io::Loop& loop, const accounts::Registration& registration,
             std::function<void(AccountsNews)> on_news);
  void stop();  // after the feed has stopped

  void follow(const accounts::Registration& registration);  // the configuration has changed
  std::size_t waiting_rows() const { return parts_.queue->waiting_rows(); }
  std::string address() const;

 private:
  struct Flush {
    std::uint64_t id = 0, number = 0;  // done when this batch is stored
  };

  void on_connected();
  void on_lost(const Error& why);
  void on_frame(const std::string& frame);
  // --- on the feed's thread ---
  void send(wire::ControllerReport report);
  void handle(wire::DatabaseOrder order);
  void on(const wire::ClusterRegistered& registered);
  void on(const wire::RecordsStored& stored);
  void on(const wire::FlushRecords& flush);
  void on(wire::NewsPart part);
  void on(const wire::ClusterRefused& refused);
  void send_anew();
  void drop_through(std::uint64_t number);
  void send_next();
  void answer_flushes();
  void keep(const AccountsNews& news);

  Parts parts_;
  AccountingFeed& feed_;
  const std::atomic<bool>& stopping_;
  io::Loop* loop_ = nullptr;
  std::function<void(AccountsNews)> on_news_;
  io::LogLimit log_{5, Millis{60000}};

  // On the feed's thread:
  wire::RegisterCluster registration_;
  std::string trouble_;  // what was told last of why there is no connection
  bool is_registered_ = false;
  std::uint64_t under_way_ = 0, stored_ = 0;  // batches
  std::vector<Flush> flushes_;
  AccountsNews news_;  // the parts that have come

  std::unique_ptr<io::Dialer> dialer_;  // last: its handlers use what is above
};

}  // namespace muster::daemon
