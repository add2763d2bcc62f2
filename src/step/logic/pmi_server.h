// The PMI-1 and PMI-2 server for a step's MPI tasks on one node: it tells tasks who they are and
// how ranks are laid out, keeps their values, and lets all wait for each other. Text in, text out;
// sockets, and the exchange with other nodes, are elsewhere.
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
  std::vector<std::uint32_t> ranks;  // of the tasks on this node
};

// What the caller must do after a message.
struct PmiTurn {
  struct Reply {
    std::size_t task = 0;  // index among the node's tasks
    std::string bytes;
  };
  std::vector<Reply> replies;
  std::optional<std::string> contribution;  // for the other nodes: all tasks here wait for theirs
  std::optional<std::string> abort;         // a task wants to end the step, for this reason
  std::vector<std::string> complaints;      // about requests that get no answer
};

class PmiServer {
 public:
  explicit PmiServer(PmiJob job);

  PmiTurn on_bytes(std::size_t task, std::string_view bytes);
  // The contributions of all nodes, including this one.
  PmiTurn on_gathered(const std::vector<std::string>& parts);

 private:
  using Words = std::vector<std::pair<std::string, std::string>>;
  struct Task {
    std::string received;
    PmiVersion version = PmiVersion::one;
    bool waits = false;  // in a fence
    bool broken = false;
  };
  struct AttributeWait {
    std::size_t task = 0;
    std::string key;
  };

  void answer_message(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  bool answer_version_1(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  bool answer_version_2(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  void init(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  bool put(const PmiMessage& message);  // false: no room for more
  void wait_for_all(std::size_t task, PmiTurn& turn);
  void get_job_attribute(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  void put_node_attribute(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  void get_node_attribute(std::size_t task, const PmiMessage& message, PmiTurn& turn);
  void reply(std::size_t task, std::string command, Words words, PmiTurn& turn) const;

  PmiJob job_;
  std::vector<Task> tasks_;
  std::map<std::string, std::string, std::less<>> values_;  // as of the last fence
  std::map<std::string, std::string> fresh_;                // put since the last fence
  std::size_t put_bytes_ = 0;                               // by the tasks on this node so far
  std::map<std::string, std::string, std::less<>> node_attributes_;
  std::vector<AttributeWait> attribute_waits_;
  std::size_t waited_bytes_ = 0;  // of the keys that tasks wait for
};

}  // namespace muster
