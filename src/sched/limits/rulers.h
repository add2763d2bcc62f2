// Rulers: all that a job's limits come from, in the order in which they count: the QOS of its
// partition, its own QOS (the other way round with OverPartQOS), its association, the accounts
// above it. What a QOS limits, no association limits again. Among associations each one's group has
// limits of its own; all others are inherited.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "model/cluster.h"
#include "sched/limits/limit_words.h"

namespace muster::sched {

// Whose jobs are counted together: all of a QOS or an association, or one user's or account's.
struct UseKey {
  Payer payer;
  std::optional<Uid> user;
  Text account;
  auto operator<=>(const UseKey&) const = default;
  bool operator==(const UseKey&) const = default;
};

struct Ruler {
  Setter setter = Setter::qos;
  const Limits* limits = nullptr;
  UseKey group, user, account;
  double factor = 1;       // LimitFactor: times what an association lets jobs hold
  std::size_t before = 0;  // so many of the rulers are asked first: theirs count, not this one's
};

class Rulers {
 public:
  explicit Rulers(const Cluster& cluster);

  bool limit_anything() const { return limit_anything_; }
  // ... that a running job can come up against.
  bool limit_time() const { return limit_time_; }
  // ... how many jobs grow older.
  bool limit_age() const { return limit_age_; }
  // Valid as long as this object.
  std::vector<Ruler> of(const Job& job, const Partition* partition) const;

 private:
  void add_line(const Job& job, const Text& partition, std::vector<Ruler>& rulers) const;
  const Limits& limits_of(const Association& association,
                          const std::vector<const Association*>& line) const;

  const Cluster& cluster_;
  bool limit_anything_ = false, limit_time_ = false, limit_age_ = false,
       limit_associations_ = false;
  mutable std::map<AssociationKey, Limits> association_limits_;  // as they are asked for
};

}  // namespace muster::sched
