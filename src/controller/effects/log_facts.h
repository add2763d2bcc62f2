// LogFacts: puts together the facts of a LogEntry. Each is short, whatever somebody has written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/log_entry.h"
#include "model/cluster.h"

namespace muster::controller {

constexpr std::size_t kLongestFact = 500;  // of a value, in bytes
std::string shortened(std::string_view value);

class LogFacts {
 public:
  explicit LogFacts(std::string_view what) : entry_{.what = what} {}
  LogFacts& add(std::string_view name, std::string_view value) &;  // an empty one is left out
  LogFacts& add(std::string_view name, std::uint64_t value) &;
  LogFacts& add_job(const Job& job) &;  // JobId, ArrayTasks, ArrayJobId, ArrayTaskId, HetJobId
  LogFacts& add_nodes(const Cluster& cluster, const std::vector<NodeId>& nodes) &;  // NodeList
  LogEntry take() { return std::move(entry_); }

 private:
  LogEntry entry_;
};

}  // namespace muster::controller
