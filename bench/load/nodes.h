// Nodes: plays every slurmd of a cluster from one thread, over connections of their own. Batch
// steps end the moment they are launched, once let_go() was called, but for those of jobs that are
// meant to stay.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "io/channel.h"
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

  void let_go() { holding_ = false; }
  std::uint64_t staying() const { return staying_; }
  std::uint64_t ended() const { return ended_; }  // and known as such to the controller

 private:
  void connect_all();
  void run();
  void send_heartbeats();
  void send_held();
  void serve(std::size_t node);
  void carry_out(const wire::OrderBatch& batch, std::vector<wire::Report>& reports);

  NodesOptions options_;
  std::vector<io::Channel> channels_;
  std::vector<std::vector<wire::Report>> held_;  // parallel to the channels
  std::size_t next_heartbeat_ = 0;
  std::atomic<bool> holding_ = true;
  std::atomic<std::uint64_t> staying_ = 0, ended_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace muster::bench
