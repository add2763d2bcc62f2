// What a step's MPI tasks ask of their process manager, by PMI-1 or PMI-2, on one node: who am I,
// how are the ranks laid out, keep this value, and let all wait for each other. Text in, text out;
// sockets and the exchange with the step's other nodes belong to others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "step/logic/pmi_message.h"

namespace muster {

struct PmiJob {
  std::string name;  // "12.0": the step, and the name of its key-value space
  std::uint32_t size = 1;
  std::string mapping;               // PMI_process_mapping
  std::vector<std::uint32_t> ranks;  // of the tasks here
};

// What follows from something that has come.
struct PmiTurn {
  struct Reply {
    std::size_t task = 0;  // its place among the node's tasks
    std::string bytes;
  };
  std::vector<Reply> replies;
  std::optional<std::string> contribution;  // every task here waits for those of other nodes
  std::optional<std::string> abort;         // a task ends the step: why
  std::vector<std::string> complaints;      // about requests that are not answered
};

class PmiServer {
 public:
  explicit PmiServer(PmiJob job);

  PmiTurn on_bytes(std::size_t task, std::string_view bytes);
  // What all nodes have contributed, ours among them.
  PmiTurn on_gathered(const std::vector<std::string>& parts);

 private:
  using Words = std::vector<std::pair<std::string, std::string>>;
  struct Task {
    std::string received;
    PmiVersion version = PmiVersion::one;
    bool waits = false;  // at a fence
    bool broken = false;
  };
  struct AttributeWait {
    std::size_t task = 0;
    std::string key;
  };

  void obey(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  bool obey_one(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  bool obey_two(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  void init(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  bool put(const PmiMessage& message);  // false: there is no room for more
  void wait_for_all(std::size_t task, PmiTurn& turn);
  void get_job_attribute(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  void put_node_attribute(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  void get_node_attribute(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  void reply(std::size_t task, std::string command, Words words, PmiTurn& turn) const;

  PmiJob job_;
  std::vector<Task> tasks_;
  std::map<std::string, std::string, std::less<>> values_;  // as of the last fence
  std::map<std::string, std::string> fresh_;                // put since then
  std::size_t put_bytes_ = 0;                               // by the tasks here, so far
  std::map<std::string, std::string, std::less<>> node_attributes_;
  std::vector<AttributeWait> attribute_waits_;
  std::size_t waited_bytes_ = 0;  // of the keys, so far
};

}  // namespace muster
