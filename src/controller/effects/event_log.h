// What slurmctld's log says of events: a line for each that an administrator would ask about later.
// Nothing here writes anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/log_entry.h"
#include "model/cluster.h"
#include "state/event.h"
#include "wire/client_messages.h"

namespace muster::controller {

// The request behind the events that are recorded now, if there is one.
struct Asker {
  std::optional<Uid> by;
  std::string changes;  // what an update sets: "TimeLimit=10 Nice=5"
};
Asker asker_of(Uid caller, const wire::Request& request);

// Made before an event is applied. What happened to a node is seen only afterwards, by what it has
// become.
class EventLog {
 public:
  EventLog(const Cluster& before, const Event& event, const Asker& asker);
  void add_to(std::vector<LogEntry>& log, const Cluster& after) &&;

 private:
  const Asker& asker_;
  std::optional<LogEntry> entry_;
  std::optional<Node> node_;  // as it was
};

// Neighbours that differ in their first fact alone, their nodes or their jobs, become one.
std::vector<LogEntry> merged(std::vector<LogEntry> log);

}  // namespace muster::controller
