// words: which conditions and settings a command about each kind of row may have, by the full words
// of sacctmgr(1), and what bounds a command.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/text.h"
#include "wire/accounts.h"

namespace muster::accounts {

// Why a command is refused, or part of it.
using Problem = wire::AccountsProblem;
using Note = wire::AccountsNote;
template <class T = void>
using Outcome = std::expected<T, Note>;

inline std::unexpected<Note> refuse(Problem problem, wire::Entity entity, Text name = {},
                                    std::string detail = {}) {
  return std::unexpected(Note{problem, entity, std::move(name), std::move(detail)});
}

inline constexpr std::size_t kMaxNameBytes = 255, kMaxValueBytes = 16384, kMaxNames = 10'000,
                             kMaxWords = 200, kMaxTreeDepth = 64, kMaxAssociationsAtOnce = 100'000;

std::span<const std::string_view> conditions_of(wire::Entity entity);
std::span<const std::string_view> settings_of(wire::Entity entity);
// Limits that associations have: settings of clusters (for root), accounts and users as well.
bool is_association_setting(std::string_view key);

// Every word is known, every name can be one, and none of it is too long.
Outcome<> check_words(const wire::AccountsRequest& request);

// The conditions of a command. Names are kept and compared in lower case.
class Where {
 public:
  explicit Where(const std::vector<wire::Condition>& conditions) : conditions_(conditions) {}

  bool has(std::string_view key) const;
  std::vector<Text> names(std::string_view key) const;  // each once, in the order given
  // Whether a row with this value is meant; without such a condition every row is.
  bool allows(std::string_view key, std::string_view value) const;
  bool allows_any(std::string_view key, const std::vector<Text>& values) const;

 private:
  const std::vector<wire::Condition>& conditions_;
};

// The last setting of this key; null where there is none.
const wire::Setting* find_setting(const wire::AccountsRequest& request, std::string_view key);

}  // namespace muster::accounts
