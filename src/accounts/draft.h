// Draft: a command's changes while they are made. They are made on the site itself and taken back
// again, unless they are kept: a command that is refused, or only tried, changes nothing.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "accounts/site.h"
#include "base/time.h"
#include "model/accounts/accounts_news.h"
#include "wire/accounts.h"

namespace muster::accounts {

class Draft {
 public:
  explicit Draft(Site& site) : site_(site), numbers_(site.numbers) {}
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft();

  const Site& site() const { return site_; }
  // Whether that is a change.
  bool put(const SiteRow& row);
  void reset_usage(ForgottenUsage reset) { resets_.push_back(std::move(reset)); }
  void note(wire::AccountsNote note) { notes_.push_back(std::move(note)); }
  void tell(wire::AccountsChange change) { changes_.push_back(std::move(change)); }

  bool empty() const { return previous_.empty() && resets_.empty(); }
  std::size_t size() const { return previous_.size(); }
  std::vector<SiteRow> rows() const;  // as they are now, each changed one once
  const std::vector<ForgottenUsage>& resets() const { return resets_; }
  const std::vector<wire::AccountsNote>& notes() const { return notes_; }
  const std::vector<wire::AccountsChange>& changes() const { return changes_; }
  void keep() { is_kept_ = true; }

  // The next number, and the place of an association that comes first below its parent.
  std::uint32_t next(std::uint32_t SiteNumbers::* counter) { return ++(site_.numbers.*counter); }
  std::uint64_t next_place() { return ++site_.numbers.placed; }

 private:
  Site& site_;
  const SiteNumbers numbers_;
  // By key: the row that was there before the first change of it, if there was one.
  std::map<std::string, std::pair<SiteRow, std::optional<SiteRow>>> previous_;
  std::vector<ForgottenUsage> resets_;
  std::vector<wire::AccountsNote> notes_;
  std::vector<wire::AccountsChange> changes_;
  bool is_kept_ = false;
};

}  // namespace muster::accounts
