// OrderSender: sends orders to nodes. It adds scripts and environments from the store, keeps
// messages small, and waits with further messages for a node that has not read the earlier ones.
// Orders to a node stay in sequence.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controller/ledger/host.h"
#include "io/loop/worker.h"
#include "io/net/server.h"
#include "io/store/blob_cache.h"
#include "state/store.h"
#include "wire/node_messages.h"
#include "wire/statistics.h"

namespace muster::daemon {

// Packs orders for one node into messages of about wire::kPartBytes. A larger order gets a message
// of its own.
class OrderBatchWriter {
 public:
  OrderBatchWriter(io::Server& server, controller::NodeConnection to, Epoch epoch)
      : server_(server), to_(to), batch_{.epoch = epoch, .orders = {}} {}
  void add(wire::Order order);
  void flush();  // sends what was added

 private:
  io::Server& server_;
  controller::NodeConnection to_;
  wire::OrderBatch batch_;
  std::size_t bytes_ = 0;
};

class OrderSender {
 public:
  OrderSender(io::Loop& loop, io::Server& server, Store& store, io::BlobCache& blobs,
              const std::atomic<bool>& stopping)
      : loop_(loop), server_(server), store_(store), blobs_(blobs), stopping_(stopping) {}
  void stop() { thread_.stop(); }

  void send(controller::NodeConnection to, Epoch epoch,
            std::vector<controller::OutgoingOrder> orders);
  void fill(wire::StatisticsReply& reply) const;                            // orders that wait
  void post(std::function<void()> work) { thread_.post(std::move(work)); }  // after work that waits

 private:
  // Orders that wait until scripts are read, or until the node has read earlier orders.
  struct Outbox {
    Epoch epoch;
    std::deque<controller::OutgoingOrder> orders;
  };
  void send_or_queue(controller::NodeConnection to, Epoch epoch,
                     std::vector<controller::OutgoingOrder> orders);
  void empty_outbox(controller::NodeConnection to);
  void send_queued(controller::NodeConnection to);
  void cut_off(controller::NodeConnection to);
  std::optional<std::string> blob(const Text& hash);

  io::Loop& loop_;
  io::Server& server_;
  Store& store_;
  io::BlobCache& blobs_;
  const std::atomic<bool>& stopping_;
  mutable std::mutex outboxes_mutex_;  // guards the next member
  std::map<controller::NodeConnection, Outbox> outboxes_;
  io::Worker thread_{"sender"};  // last: it uses what is above
};

}  // namespace muster::daemon
