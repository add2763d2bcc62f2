// OrderBatchWriter: orders for one node, in messages of about wire::kPartBytes. One that is larger
// goes alone.
#pragma once

#include <cstddef>

#include "controller/host.h"
#include "io/net/server.h"
#include "wire/node_messages.h"

namespace muster::daemon {

class OrderBatchWriter {
 public:
  OrderBatchWriter(io::Server& server, controller::NodeConnection to, Epoch epoch)
      : server_(server), to_(to), batch_{.epoch = epoch, .orders = {}} {}
  void add(wire::Order order);
  void flush();  // what was added leaves

 private:
  io::Server& server_;
  controller::NodeConnection to_;
  wire::OrderBatch batch_;
  std::size_t bytes_ = 0;
};

}  // namespace muster::daemon
