// ServerCore: implements Server: accepts connections and passes frames on (server.cc), and does the
// handshake (server_greeting.cc).
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "io/log_limit.h"
#include "io/net/handshake.h"
#include "io/net/server.h"
#include "io/net/server_clients.h"
#include "io/net/server_user_limits.h"

namespace muster::io {

// For the log: the texts of error codes are written for users of commands, so prefer the detail.
inline std::string reason_in_log(const Error& why) {
  return why.detail.empty() ? why.text() : why.detail;
}

// Shared by the Server and its pending work, so it may outlive the Server.
class ServerCore : public std::enable_shared_from_this<ServerCore> {
 public:
  ServerCore(Loop& loop, ServerOptions options, Server::Handlers handlers);

  Result<void> listen();
  void stop_listening();
  void stop();  // no handler is called after it
  Clients& clients() { return clients_; }
  UserLimits& user_limits() { return *user_limits_; }
  void forget(const ClientPtr& client);
  std::uint16_t port() const { return port_; }

 private:
  void accept_on(int fd, bool is_tcp);
  void admit(int fd, bool is_tcp);
  bool make_room();
  void on_frame(const ClientPtr& client, std::string frame);
  void on_greeting(const ClientPtr& client, std::string_view frame);
  void check(const ClientPtr& client, ClientHello greeting);
  void on_checked(const ClientPtr& client, const Result<Accepted>& accepted);
  void refuse_for_clock(const ClientPtr& client, const Accepted& who);
  void open(const ClientPtr& client);
  void turn_away(const ClientPtr& client);
  void refuse(const ClientPtr& client, Error why);
  void on_end(const ClientPtr& client, const Error& why);
  void sweep();
  bool is_needed(const Client& client) const;
  void schedule_sweep();
  Millis sweep_interval() const;

  Loop& loop_;
  ServerOptions options_;
  const Server::Handlers handlers_;
  Clients clients_;
  std::shared_ptr<UserLimits> user_limits_;  // shared with its pending work on the loop
  std::atomic<ConnectionId> next_id_{1};
  LogLimit refusals_{20, Millis{10000}};
  std::uint16_t port_ = 0;

  mutable std::shared_mutex gate_;  // held shared by running handlers; stop() waits for them
  bool is_stopped_ = false;

  std::mutex listeners_mutex_;  // guards the members below
  std::vector<int> listeners_;  // duplicates of the sockets, to shut them down from any thread
  ino_t socket_inode_ = 0;      // of unix_path, so as not to remove a successor's socket
};

}  // namespace muster::io
