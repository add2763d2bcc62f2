// The flags that are set, by name and as bits.
#include "io/debug_flags.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "base/text/strings.h"

namespace muster::io {

namespace {

constexpr std::array<std::string_view, 2> kHeeded{"Agent", "Protocol"};  // as in DebugFlag

std::mutex names_mutex;                // guards the names
std::vector<std::string> names;        // in the order in which they were set
std::atomic<std::uint32_t> heeded{0};  // bits of DebugFlag, for fast reads

void note_heeded() {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < kHeeded.size(); ++i)
    for (const std::string& name : names)
      if (iequals(name, kHeeded[i])) bits |= 1u << i;
  heeded = bits;
}

void change(std::string_view name, bool on) {
  std::erase_if(names, [&](const std::string& each) { return iequals(each, name); });
  if (on && !name.empty()) names.emplace_back(name);
}

}  // namespace

void set_debug_flags(std::string_view list) {
  const std::lock_guard lock(names_mutex);
  names.clear();
  for (std::string_view name : split(list, ',')) change(trim(name), true);
  note_heeded();
}

void change_debug_flag(std::string_view name, bool on) {
  const std::lock_guard lock(names_mutex);
  change(name, on);
  note_heeded();
}

std::string debug_flags_text() {
  const std::lock_guard lock(names_mutex);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

bool is_set(DebugFlag flag) { return heeded >> static_cast<unsigned>(flag) & 1; }

void write_flagged(DebugFlag flag, std::string_view text) {
  write_log(LogLevel::info,
            fmt::format("{}: {}", upper(kHeeded[static_cast<std::size_t>(flag)]), text));
}

}  // namespace muster::io
