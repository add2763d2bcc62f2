// See controller_words.h.
#include "config/controller_words.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::config {

namespace {

struct Word {
  std::string_view name;
  std::uint32_t least, most;
  std::uint32_t ControllerWords::* member;
};

constexpr Word kWords[] = {
    {"max_user_connections", 1, 1'000'000, &ControllerWords::max_user_connections},
    {"rl_bucket_size", 1, 1'000'000'000, &ControllerWords::rl_bucket_size},
    {"rl_log_freq", 0, 1'000'000'000, &ControllerWords::rl_log_freq},
    {"rl_refill_period", 1, 1'000'000, &ControllerWords::rl_refill_period},
    {"rl_refill_rate", 1, 1'000'000'000, &ControllerWords::rl_refill_rate},
    {"rl_table_size", 1, 1'000'000, &ControllerWords::rl_table_size},
};

}  // namespace

Result<void> check_controller_words(const Location& at, const Setting& setting) {
  for (std::string_view part : split(setting.value, ',')) {
    part = trim(part);
    const auto equals = std::min(part.find('='), part.size());
    const auto* word = std::ranges::find_if(
        kWords, [&](const Word& each) { return iequals(each.name, part.substr(0, equals)); });
    if (word == std::end(kWords)) continue;
    const auto number = equals < part.size()
                            ? parse_number<std::uint32_t>(trim(part.substr(equals + 1)))
                            : std::nullopt;
    if (!number || *number < word->least || *number > word->most)
      return bad_value(
          at, {setting.key, std::string(part)},
          fmt::format("{}=a number from {} to {}", word->name, word->least, word->most));
  }
  return {};
}

ControllerWords controller_words(const SlurmConf& conf) {
  ControllerWords words;
  words.rl_enable = conf.option("SlurmctldParameters", "rl_enable").has_value();
  for (const Word& word : kWords)
    if (auto text = conf.option("SlurmctldParameters", word.name))
      words.*word.member = parse_number<std::uint32_t>(trim(*text)).value_or(words.*word.member);
  return words;
}

}  // namespace muster::config
