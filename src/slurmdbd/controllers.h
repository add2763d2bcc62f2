// Controllers: the slurmctlds that are connected, one of each cluster. Thread-safe, unless a
// function says otherwise.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/containers/text.h"
#include "base/time.h"
#include "io/net/server.h"
#include "model/accounts/accounts_news.h"
#include "slurmdbd/store/sql_accounting.h"
#include "wire/dbd.h"

namespace muster::dbd {

class Controllers {
 public:
  void use(io::Server& server) { server_ = &server; }  // before anything else

  // The controller of a cluster is there; one that was there before is not served any more.
  void enter(io::ConnectionId id, Feed feed);
  void leave(io::ConnectionId id);
  std::optional<Feed> feed_of(io::ConnectionId id) const;
  bool has(const Text& cluster) const;
  // A controller of the same cluster with other records: not one that took over their state.
  bool has_another(io::ConnectionId than, const Feed& feed) const;
  bool is_empty() const;

  void send(io::ConnectionId id, wire::DatabaseOrder order);
  // Each hears what concerns its cluster. News must come from one thread, in order.
  void tell(const AccountsNews& news);
  void tell(io::ConnectionId id, const Text& cluster, const AccountsNews& news);

  // Waits until all that has happened on these clusters is stored; those of which it is not known
  // are returned. Not on the loop.
  std::vector<Text> flush(const std::vector<Text>& clusters, Millis patience);
  void on_flushed(io::ConnectionId id, std::uint64_t flush);
  void stop();  // nobody waits any more

 private:
  struct Waiting {
    std::map<io::ConnectionId, Text> clusters;  // that have not answered
    std::set<Text> missed;                      // that have gone
  };

  io::Server* server_ = nullptr;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable answered_;
  std::map<io::ConnectionId, Feed> feeds_;
  std::map<std::uint64_t, Waiting> flushes_;
  std::uint64_t next_flush_ = 1;
  bool is_stopped_ = false;
};

}  // namespace muster::dbd
