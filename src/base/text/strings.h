// strings: small helpers for text that comes from users and files.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

std::vector<std::string_view> split(std::string_view text, char separator);  // keeps empty parts
// Deleted for temporary strings: the parts point into the text and would dangle.
template <class S>
  requires std::same_as<S, std::string>
std::vector<std::string_view> split(S&& text, char separator) = delete;
std::vector<std::string_view> split_words(std::string_view text);  // at blanks; no empty parts
std::string_view trim(std::string_view text);
std::string lower(std::string_view text);
std::string upper(std::string_view text);
bool iequals(std::string_view a, std::string_view b);  // ASCII, case-insensitive
bool istarts_with(std::string_view text, std::string_view prefix);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

// The whole text as a number; unset if it is not one.
template <std::integral T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}
std::optional<double> parse_real(std::string_view text);

struct CaseInsensitiveLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

}  // namespace muster
