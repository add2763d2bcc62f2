// What a Server is made of: it accepts (server.cc), shakes hands (server_greeting.cc), then passes
// frames on.
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
#include "io/net/server_members.h"
#include "io/net/server_shares.h"

namespace muster::io {

// For the log: the codes' own texts speak to users of commands.
inline std::string reason_in_log(const Error& why) {
  return why.detail.empty() ? why.text() : why.detail;
}

// Everything that outlives the Server while work is under way; shared by that work.
class ServerCore : public std::enable_shared_from_this<ServerCore> {
 public:
  ServerCore(Loop& loop, ServerOptions options, Server::Handlers handlers);

  Result<void> listen();
  void stop_listening();
  void stop();  // no handler is called after it
  Members& members() { return members_; }
  Shares& shares() { return *shares_; }
  void forget(const MemberPtr& member);
  std::uint16_t port() const { return port_; }

 private:
  void accept_on(int fd, bool is_tcp);
  void admit(int fd, bool is_tcp);
  bool make_room();
  void on_frame(const MemberPtr& member, std::string frame);
  void on_greeting(const MemberPtr& member, std::string_view frame);
  void check(const MemberPtr& member, ClientHello client);
  void on_checked(const MemberPtr& member, const Result<Accepted>& accepted);
  void refuse_for_clock(const MemberPtr& member, const Accepted& who);
  void open(const MemberPtr& member);
  void turn_away(const MemberPtr& member);
  void refuse(const MemberPtr& member, Error why);
  void on_end(const MemberPtr& member, const Error& why);
  void sweep();
  void schedule_sweep();
  Millis sweep_interval() const;

  Loop& loop_;
  ServerOptions options_;
  const Server::Handlers handlers_;
  Members members_;
  std::shared_ptr<Shares> shares_;  // shared with what it has asked the loop to do
  std::atomic<ConnectionId> next_id_{1};
  LogLimit refusals_{20, Millis{10000}};
  std::uint16_t port_ = 0;

  std::shared_mutex gate_;  // held shared while a handler runs: stop() waits for them
  bool is_stopped_ = false;

  std::mutex listeners_mutex_;  // guards what follows
  std::vector<int> listeners_;  // duplicates of the sockets, to shut them down from any thread
  ino_t socket_inode_ = 0;      // of unix_path: a successor's socket must not be removed
};

}  // namespace muster::io
