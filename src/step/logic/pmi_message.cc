// Reads and writes messages of PMI-1 and PMI-2: "cmd=put key=value" and "
// 28cmd=fullinit;pmirank=0;".
#include "step/logic/pmi_message.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/strings.h"

namespace muster {
namespace {

constexpr std::size_t kLengthSize = 6;
constexpr std::size_t kLongestMessage = 64u << 10;

void add_word(PmiMessage& message, std::string_view name, std::string value) {
  if (name == "cmd" || name == "mcmd")
    message.command = std::move(value);
  else
    message.words.emplace_back(name, std::move(value));
}

PmiMessage parse_line(std::string_view line) {
  PmiMessage message;
  while (!line.empty()) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::size_t equals = line.find('=');
    if (equals == line.npos) break;
    const std::string_view name = line.substr(0, equals);
    line.remove_prefix(equals + 1);
    const std::size_t end = name == "value" ? line.size() : std::min(line.find(' '), line.size());
    add_word(message, name, std::string(line.substr(0, end)));
    line.remove_prefix(end);
  }
  return message;
}

// One value of PMI-2 up to a single ";", which is removed too.
std::string take_value(std::string_view& text) {
  std::string value;
  while (!text.empty()) {
    const char c = text.front();
    text.remove_prefix(1);
    if (c == ';') {
      if (!text.starts_with(';')) return value;
      text.remove_prefix(1);
    }
    value += c;
  }
  return value;
}

PmiMessage parse_sized(std::string_view text) {
  PmiMessage message;
  while (!text.empty()) {
    const std::size_t equals = text.find('=');
    if (equals == text.npos) break;
    const std::string_view name = text.substr(0, equals);
    text.remove_prefix(equals + 1);
    add_word(message, name, take_value(text));
  }
  return message;
}

std::string doubled(std::string_view value) {
  std::string out;
  for (char c : value) out.append(c == ';' ? 2 : 1, c);
  return out;
}

}  // namespace

std::string_view PmiMessage::value(std::string_view name) const {
  auto found = std::ranges::find(words, name,
                                 [](const auto& word) -> std::string_view { return word.first; });
  return found == words.end() ? std::string_view{} : std::string_view(found->second);
}

bool PmiMessage::has(std::string_view name) const {
  return std::ranges::any_of(words, [&](const auto& word) { return word.first == name; });
}

namespace {

// A command of several lines ("mcmd=...") ends with "endcmd"; its first line names it.
Result<std::optional<PmiMessage>> take_line(std::string& received) {
  const std::string_view last = received.starts_with("mcmd=") ? "endcmd\n" : "\n";
  const std::size_t end = received.find(last);
  if (end == received.npos && received.size() > kLongestMessage) return fail("a line too long");
  if (end == received.npos) return std::nullopt;
  PmiMessage message = parse_line(std::string_view(received).substr(0, received.find('\n')));
  received.erase(0, end + last.size());
  return message;
}

}  // namespace

Result<std::optional<PmiMessage>> take_pmi_message(std::string& received, PmiVersion version) {
  if (version == PmiVersion::one) return take_line(received);
  if (received.size() < kLengthSize) return std::nullopt;
  auto length =
      parse_number<std::uint32_t>(trim(std::string_view(received).substr(0, kLengthSize)));
  if (!length || *length > kLongestMessage) return fail("a length that cannot be");
  if (received.size() < kLengthSize + *length) return std::nullopt;
  PmiMessage message = parse_sized(std::string_view(received).substr(kLengthSize, *length));
  received.erase(0, kLengthSize + *length);
  return message;
}

std::string pmi_text(const PmiMessage& message, PmiVersion version) {
  if (version == PmiVersion::one) {
    std::string line = "cmd=" + message.command;
    for (const auto& [name, value] : message.words) line += fmt::format(" {}={}", name, value);
    return line + '\n';
  }
  std::string text = fmt::format("cmd={};", message.command);
  for (const auto& [name, value] : message.words)
    text += fmt::format("{}={};", name, doubled(value));
  return fmt::format("{:<6}{}", text.size(), text);
}

}  // namespace muster
