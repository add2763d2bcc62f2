// interval_use: what was used in a span of time, made from the records that reach into it. A pure
// sum: the spans of a day add up to the day, as long as the resources are enough for what is
// recorded of them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/accounts/accounting_record.h"
#include "model/accounts/usage_row.h"

namespace muster::accounting {

// "cpu=4,mem=500M,gres/gpu=1" as amounts; what cannot be read is left out.
TresAmounts amounts_of(std::string_view accounting_text);

// Rows with the same key, added up.
class UsageSums {
 public:
  void add(const UsageRow& row);
  std::vector<UsageRow> take();  // ascending by key

 private:
  using Key = std::tuple<UsageKind, Text, Text, Text, Text>;
  std::map<Key, std::map<Text, TresUse>> rows_;
};

// A job as far as usage goes.
struct JobUse {
  JobUse(const JobRecord& record, std::vector<SuspensionRecord> when_suspended);

  Text cluster, account, user, wckey, reservation;
  Time eligible, started, ended;
  std::uint64_t waiting_cpus = 0;
  TresAmounts allocated;
  std::vector<SuspensionRecord> suspended;
};

class IntervalUse {
 public:
  IntervalUse(Time start, Time end) : start_(start), end_(end) {}

  void add(const JobUse& job);
  void add(const EventRecord& event);
  void add(const ReservationRecord& reservation);
  std::vector<UsageRow> rows() const;
  Time start() const { return start_; }

 private:
  using Amounts = std::map<Text, std::uint64_t>;  // times seconds
  struct ClusterUse {
    Amounts counts, total, allocated, down, planned_down;
    std::uint64_t waiting_cpus = 0;  // times seconds
    // By reservation: what it holds, and what jobs have of it.
    std::map<Text, std::pair<Amounts, Amounts>> reserved;
  };
  // The seconds of a time that are in this span.
  std::uint64_t seconds_of(Time start, Time end) const;
  std::uint64_t run_seconds(const JobUse& job) const;
  static UsageRow row_of(const Text& cluster, const ClusterUse& use);

  Time start_, end_;
  UsageSums users_;
  std::map<Text, ClusterUse> clusters_;
};

}  // namespace muster::accounting
