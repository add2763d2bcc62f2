// Sends long lists in parts: each part is a message of about kPartBytes, and all but the last have
// ReplyFrame::more set. Fields that are not the list are in the first part only.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/codec/rough_size.h"
#include "wire/replies.h"

namespace muster::wire {

inline constexpr std::size_t kPartBytes = 256u << 10;

// The member of a reply that holds its list.
inline auto& list_of(JobsReply& reply) { return reply.jobs; }
inline auto& list_of(NodesReply& reply) { return reply.nodes; }
inline auto& list_of(PartitionsReply& reply) { return reply.partitions; }
inline auto& list_of(ConfigReply& reply) { return reply.settings; }
inline auto& list_of(AccountingReply& reply) { return reply.rows; }
inline auto& list_of(ReservationsReply& reply) { return reply.reservations; }
inline auto& list_of(PrioritiesReply& reply) { return reply.jobs; }
inline auto& list_of(TopologyReply& reply) { return reply.switches; }
inline auto& list_of(SharesReply& reply) { return reply.rows; }
inline auto& list_of(AccountsReply& reply) { return reply.rows; }
inline auto& list_of(LimitsReply& reply) { return reply.rows; }
inline auto& list_of(BudgetReply& reply) { return reply.rows; }

template <class Reply>
concept List = requires(Reply& reply) { list_of(reply); };

using SendPart = std::function<void(Answer part, bool more)>;

// Collects items and sends them in parts. An item larger than a part is sent alone.
template <List Reply>
class Parts {
 public:
  Parts(Reply head, const SendPart& send) : reply_(std::move(head)), send_(send) {}

  template <class Item>
  void add(Item item) {
    const std::size_t size = rough_size(item);
    if (!list_of(reply_).empty() && bytes_ + size > kPartBytes) {
      send_(std::exchange(reply_, Reply{}), true);
      bytes_ = 0;
    }
    bytes_ += size;
    list_of(reply_).push_back(std::move(item));
  }
  void end() && { send_(std::move(reply_), false); }

 private:
  Reply reply_;
  const SendPart& send_;
  std::size_t bytes_ = 0;
};

// The same answer in parts.
template <List Reply>
void send_in_parts(Reply reply, const SendPart& send) {
  auto items = std::exchange(list_of(reply), {});
  Parts parts(std::move(reply), send);
  for (auto& item : items) parts.add(std::move(item));
  std::move(parts).end();
}

// Appends a part to the earlier ones; false if it belongs to another kind of list.
inline bool append(Answer& whole, Answer&& part) {
  return std::visit(
      [&]<class Reply>(Reply& first) {
        if constexpr (List<Reply>) {
          auto* more = std::get_if<Reply>(&part);
          if (!more) return false;
          for (auto& item : list_of(*more)) list_of(first).push_back(std::move(item));
          return true;
        } else {
          return false;
        }
      },
      whole);
}

}  // namespace muster::wire
