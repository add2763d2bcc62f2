// Packs orders into messages, and sends them when their scripts are read and the node reads.
#include "slurmctld/orders.h"

#include <chrono>
#include <new>

#include "base/codec/codec.h"
#include "base/codec/rough_size.h"
#include "io/debug_flags.h"
#include "io/log.h"
#include "io/loop/memory_wait.h"
#include "slurmctld/message_names.h"
#include "slurmctld/users/shares.h"
#include "wire/parts.h"

namespace muster::daemon {

namespace {

constexpr std::size_t kUnreadOrdersAtMost = 16 * wire::kPartBytes;

// Puts script and environment into a launch, in place of their hashes. False if one is missing.
bool add_blobs(controller::OutgoingOrder& order,
               const std::function<std::optional<std::string>(const Text&)>& find) {
  auto* launch = std::get_if<wire::LaunchOrder>(&order.order);
  if (!launch || order.script_blob.empty()) return true;
  auto script = find(order.script_blob);
  auto environment = script ? find(order.environment_blob) : std::nullopt;
  if (!environment) return false;
  launch->launch.script = std::move(*script);
  launch->launch.submitted_environment = std::move(*environment);
  order.script_blob = {};
  return true;
}

}  // namespace

void OrderSender::send(controller::NodeConnection to, Epoch epoch,
                       std::vector<controller::OutgoingOrder> orders) {
  try {
    send_or_queue(to, epoch, std::move(orders));
  } catch (const std::bad_alloc&) {
    cut_off(to);
  }
}

// A node that has missed orders registers again, and gets all of them.
void OrderSender::cut_off(controller::NodeConnection to) {
  {
    const std::lock_guard lock(outboxes_mutex_);
    outboxes_.erase(to);
  }
  io::call_until_memory_suffices([&] { server_.close(to); }, [this] { return stopping_.load(); });
}

// Usually everything is in memory, and the orders are sent at once.
void OrderSender::send_or_queue(controller::NodeConnection to, Epoch epoch,
                                std::vector<controller::OutgoingOrder> orders) {
  auto from_memory = [this](const Text& hash) { return blobs_.find(hash); };
  OrderBatchWriter writer(server_, to, epoch);
  auto next = orders.begin();
  const std::lock_guard lock(outboxes_mutex_);
  if (!outboxes_.contains(to))
    while (next != orders.end() && server_.unsent_bytes(to).value_or(0) <= kUnreadOrdersAtMost &&
           add_blobs(*next, from_memory))
      writer.add(std::move((next++)->order));
  writer.flush();
  if (next == orders.end()) return;
  Outbox& outbox = outboxes_[to];
  const bool is_new = outbox.orders.empty();
  outbox.epoch = epoch;
  for (; next != orders.end(); ++next) outbox.orders.push_back(std::move(*next));
  if (is_new) thread_.post([this, to] { empty_outbox(to); });
}

void OrderSender::fill(wire::StatisticsReply& reply) const {
  std::map<std::uint16_t, wire::MessageCount> types;
  const std::lock_guard lock(outboxes_mutex_);
  reply.nodes_behind = static_cast<std::uint32_t>(outboxes_.size());
  for (const auto& [to, outbox] : outboxes_)
    for (const controller::OutgoingOrder& order : outbox.orders) {
      const MessageType type = type_of(order.order);
      wire::MessageCount& row = types.try_emplace(type.id).first->second;
      row.id = type.id;
      row.name = type.name;
      ++row.count;
      ++reply.orders_waiting;
    }
  for (auto& [id, row] : types) reply.orders.push_back(std::move(row));
}

// Runs on the sender's thread.
void OrderSender::empty_outbox(controller::NodeConnection to) {
  try {
    send_queued(to);
  } catch (const std::bad_alloc&) {
    cut_off(to);
  }
}

void OrderSender::send_queued(controller::NodeConnection to) {
  for (;;) {
    const auto unread = server_.unsent_bytes(to);
    if (unread && *unread > kUnreadOrdersAtMost && !stopping_)
      return loop_.after(kLookAgain,
                         [this, to] { thread_.post([this, to] { empty_outbox(to); }); });
    std::optional<controller::OutgoingOrder> order;
    Epoch epoch;
    {
      const std::lock_guard lock(outboxes_mutex_);
      auto at = outboxes_.find(to);
      if (at == outboxes_.end()) return;
      // A node that has left will register again, and gets all its orders then.
      if (!unread || at->second.orders.empty()) {
        outboxes_.erase(at);
        return;
      }
      epoch = at->second.epoch;
      order = std::move(at->second.orders.front());
      at->second.orders.pop_front();
    }
    if (!add_blobs(*order, [this](const Text& hash) { return blob(hash); })) continue;
    OrderBatchWriter writer(server_, to, epoch);
    writer.add(std::move(order->order));
    writer.flush();
  }
}

void OrderBatchWriter::add(wire::Order order) {
  const std::size_t size = rough_size(order);
  if (bytes_ + size > wire::kPartBytes) flush();
  bytes_ += size;
  batch_.orders.push_back(std::move(order));
}

void OrderBatchWriter::flush() {
  if (batch_.orders.empty()) return;
  io::log_if(io::DebugFlag::agent, "{} orders over connection {}", batch_.orders.size(), to_);
  std::string frame = encode(batch_);
  if (frame.size() <= io::kMaxFrameBytes)
    server_.send(to_, std::move(frame));
  else  // submissions are bounded, so only other orders get here; the node must not block on them
    io::log_error("an order of {} bytes is too large for a node: it is not sent", frame.size());
  batch_.orders.clear();
  bytes_ = 0;
}

std::optional<std::string> OrderSender::blob(const Text& hash) {
  if (auto known = blobs_.find(hash)) return known;
  auto bytes = store_.read_blob(hash);
  if (!bytes) {
    io::log_error("a job's script or environment cannot be read from the store: {}",
                  bytes.error().text());
    return std::nullopt;
  }
  blobs_.put(hash, *bytes);
  return *std::move(bytes);
}

}  // namespace muster::daemon
