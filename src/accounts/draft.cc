// See draft.h.
#include "accounts/draft.h"

namespace muster::accounts {

Draft::~Draft() {
  if (is_kept_) return;
  for (const auto& [key, rows] : previous_) {
    if (rows.second)
      site_.put(*rows.second);
    else
      site_.forget(rows.first);
  }
  site_.numbers = numbers_;
}

bool Draft::put(const SiteRow& row) {
  auto before = site_.find(row);
  if (before == row) return false;
  previous_.try_emplace(key_of(row), row, before);
  site_.put(row);
  return true;
}

std::vector<SiteRow> Draft::rows() const {
  std::vector<SiteRow> all;
  for (const auto& [key, rows] : previous_)
    if (auto now = site_.find(rows.first); now && now != rows.second) all.push_back(*now);
  return all;
}

}  // namespace muster::accounts
