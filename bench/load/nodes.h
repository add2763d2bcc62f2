// Nodes: plays every slurmd of a cluster on one thread, over separate connections. Batch steps end
// as soon as they are launched, as many as let_end() allows, except for jobs that are meant to
// stay.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "io/net/channel.h"
#include "wire/node_messages.h"

namespace muster::bench {

struct NodesOptions {
  io::Endpoint controller;
  std::uint32_t count = 0, cpus = 0;
  std::uint64_t memory_mib = 0;
  std::string staying_job;  // jobs of this name are launched and never end
};

std::string node_name(std::uint32_t index);

class Nodes {
 public:
  explicit Nodes(NodesOptions options);
  ~Nodes();
  Nodes(const Nodes&) = delete;
  Nodes& operator=(const Nodes&) = delete;

  void let_end(std::uint64_t more) { may_end_ += more; }
  std::uint64_t staying() const { return staying_; }
  std::uint64_t ended() const { return ended_; }  // as confirmed by the controller

 private:
  void connect_all();
  void run();
  void send_heartbeats();
  void send_ends();
  void serve(std::size_t node);
  void carry_out(std::size_t node, const wire::OrderBatch& batch);

  NodesOptions options_;
  std::vector<io::Channel> channels_;
  std::map<std::size_t, std::vector<wire::Report>> reports_;      // to be sent now, by channel
  std::deque<std::pair<std::size_t, wire::StepEndReport>> ends_;  // to be sent as soon as let_end()
                                                                  // allows
  std::uint64_t ends_sent_ = 0;
  std::size_t next_heartbeat_ = 0;
  std::atomic<std::uint64_t> may_end_ = 0;
  std::atomic<std::uint64_t> staying_ = 0, ended_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace muster::bench
