// AccountsNews: what the controller of a cluster is told by whoever keeps the site's accounts.
#pragma once

#include <cstdint>
#include <vector>

#include "model/accounts/site_rows.h"
#include "model/accounts/usage.h"

namespace muster {

// RawUsage=0: what these have used is forgotten.
struct ForgottenUsage {
  Text cluster;  // empty = on all of them
  UsageOwner owner;
  bool operator==(const ForgottenUsage&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, cluster);
    v(2, owner);
  }
};

struct AccountsNews {
  std::uint64_t version = 0;  // of the site
  std::vector<SiteRow> rows;  // whole rows; those of other clusters do not matter
  std::vector<ForgottenUsage> resets;
  bool is_all = false;  // there is nothing else: what is not in it is gone
  bool empty() const { return rows.empty() && resets.empty() && !is_all; }
};

}  // namespace muster
