// values: what a setting's value has to look like, how it travels, and how a preview shows it.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/time.h"
#include "cli/sacctmgr/words.h"
#include "model/accounts/qos.h"

namespace muster::cli {

struct SiteValue {
  std::string sent, shown;
};
// The error is what to print, whole lines. `word` is the setting as it was typed.
std::expected<SiteValue, std::string> check_value(const SiteKey& key, std::string_view word,
                                                  std::string_view value);

std::string limit_text(Minutes limit);  // "1-02:00:00"
std::string amounts_text(const TresAmounts& amounts);
std::string amount_text(std::string_view resource, std::uint64_t amount);  // mem: "10G"

}  // namespace muster::cli
