// Parses and formats amounts with suffixes such as K, M and G.
#include "base/text/size.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster {

namespace {

// The power of 1024 that a suffix stands for: "K", "KB", "KiB" -> 1.
std::optional<int> suffix_power(std::string_view suffix) {
  if (suffix.empty()) return std::nullopt;
  auto power = std::string_view("KMGTPE").find(upper(suffix.substr(0, 1)));
  if (power == std::string_view::npos) return std::nullopt;
  std::string_view tail = suffix.substr(1);
  if (!tail.empty() && !iequals(tail, "b") && !iequals(tail, "ib")) return std::nullopt;
  return static_cast<int>(power) + 1;
}

struct Amount {
  double value = 0;
  int power = 0;  // of 1024
};
std::optional<Amount> parse_amount(std::string_view text, int default_power) {
  auto end = text.find_first_not_of("0123456789.");
  auto value = parse_real(text.substr(0, end));
  if (!value || text[0] == '.') return std::nullopt;
  if (end == text.npos) return Amount{*value, default_power};
  auto power = suffix_power(text.substr(end));
  if (!power) return std::nullopt;
  return Amount{*value, *power};
}

constexpr double kLargest = 9e18;

}  // namespace

std::optional<std::uint64_t> parse_mib(std::string_view text) {
  constexpr int kMebi = 2;
  auto amount = parse_amount(text, kMebi);
  if (!amount) return std::nullopt;
  double mib = std::ceil(std::ldexp(amount->value, 10 * (amount->power - kMebi)));
  if (!(mib < kLargest)) return std::nullopt;
  return static_cast<std::uint64_t>(mib);
}

std::string format_mib(std::uint64_t mib) {
  // The next larger unit is used if the value is a whole or a half number of it: 1024M is 1G,
  // 64000M is 62.50G, but 16000M stays. Counting in halves keeps this exact.
  constexpr std::string_view kUnits = "MGTPE";
  std::uint64_t halves = mib * 2;
  std::size_t unit = 0;
  while (halves >= 2048 && halves % 1024 == 0 && unit + 1 < kUnits.size()) {
    halves /= 1024;
    ++unit;
  }
  return std::to_string(halves / 2) + (halves % 2 == 0 ? "" : ".50") + kUnits[unit];
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  if (text.find('.') != text.npos) return std::nullopt;
  auto amount = parse_amount(text, 0);
  if (!amount) return std::nullopt;
  double count = std::ldexp(amount->value, 10 * amount->power);
  if (!(count < kLargest)) return std::nullopt;
  return static_cast<std::uint64_t>(count);
}

}  // namespace muster
