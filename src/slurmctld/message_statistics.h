// MessageStatistics: how many messages of each type, and of each user, slurmctld has handled, and
// how long that took. The table of users is bounded: those who come when it is full share a row.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>

#include "base/ids.h"
#include "slurmctld/message_names.h"
#include "wire/statistics.h"

namespace muster::daemon {

class MessageStatistics {
 public:
  static constexpr std::size_t kUsersAtMost = 1000;

  // --- on any thread ---
  void count(MessageType type, Uid user);  // before any time of it
  void add_time(MessageType type, Uid user, std::chrono::nanoseconds took);
  void reset();
  void fill(wire::StatisticsReply& reply) const;

 private:
  struct Row {
    std::string_view name;
    std::uint64_t count = 0;
    std::chrono::nanoseconds time{};
  };
  static wire::MessageCount shown(std::uint32_t id, const Row& row);
  Row& row_of(Uid user);

  mutable std::mutex mutex_;  // guards what follows
  std::map<std::uint16_t, Row> types_;
  std::map<Uid, Row> users_;
  Row others_;
};

// Adds the time of its life.
class MessageTimer {
 public:
  MessageTimer(MessageStatistics& statistics, MessageType type, Uid user)
      : statistics_(statistics), type_(type), user_(user) {}
  ~MessageTimer() { statistics_.add_time(type_, user_, std::chrono::steady_clock::now() - began_); }
  MessageTimer(const MessageTimer&) = delete;
  MessageTimer& operator=(const MessageTimer&) = delete;

 private:
  MessageStatistics& statistics_;
  MessageType type_;
  Uid user_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace muster::daemon
