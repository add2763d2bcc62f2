// Marks coloured parts of a text, and prints them.
#include "cli/tables/colour.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/text/strings.h"
#include "io/files.h"

namespace muster::cli {

namespace {

enum class When : std::uint8_t { by_terminal, always, never };
When g_when = When::by_terminal;

bool has_variable(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value;
}

// Made at the first use. Ends with the colour's digit.
const std::string& mark() {
  static const std::string text = [] {
    std::string bytes = "\x01";
    for (const char byte : io::random_bytes(16))
      bytes += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return bytes;
  }();
  return text;
}

struct States {
  Colour colour;
  std::string_view names;  // between blanks
};
constexpr std::array kStates{
    States{Colour::green, " R RUNNING CD COMPLETED idle "},
    States{Colour::yellow,
           " PD PENDING S SUSPENDED drain drained drng draining maint resv reserved RQ REQUEUED "},
    States{Colour::blue,
           " CG COMPLETING CF CONFIGURING comp completing alloc allocated mix mixed plnd planned "},
    States{Colour::red,
           " F FAILED TO TIMEOUT NF NODE_FAIL OOM OUT_OF_MEMORY OUT_OF_ME BF BOOT_FAIL DL DEADLINE "
           "down fail "
           "failing failg inval unk unknown "},
    States{Colour::violet, " CA CANCELLED PR PREEMPTED "},
};

bool write_raw(std::string_view code) {
  if (std::fflush(stdout) != 0) return false;
  while (!code.empty()) {
    const ssize_t wrote = ::write(STDOUT_FILENO, code.data(), code.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    code.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

bool write_plain(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
}

}  // namespace

bool choose_colours(std::string_view when) {
  if (when.empty() || when == "always")
    g_when = When::always;
  else if (when == "never")
    g_when = When::never;
  else if (when == "auto")
    g_when = When::by_terminal;
  else
    return false;
  return true;
}

bool uses_colours() {
  if (g_when != When::by_terminal) return g_when == When::always;
  static const bool fits = ::isatty(STDOUT_FILENO) == 1 && !has_variable("NO_COLOR") &&
                           has_variable("TERM") && std::string_view(std::getenv("TERM")) != "dumb";
  return fits;  // asked for each line
}

Colour colour_of_state(std::string_view state) {
  state = trim(state);
  // "down*", "CANCELLED by 1000", "RUNNING+"
  const auto end = std::ranges::find_if(
      state, [](char c) { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_'; });
  const std::string name = fmt::format(" {} ", std::string(state.begin(), end));
  for (const States& states : kStates)
    if (states.names.contains(name)) return states.colour;
  return Colour::none;
}

bool shows_states(std::string_view header) {
  return header == "ST" || header == "STATE" || header == "State";
}

void paint(std::string& out, std::size_t begin, Colour colour) {
  if (colour == Colour::none || begin >= out.size()) return;
  out.insert(begin, mark() + static_cast<char>(colour));
  out += mark() + static_cast<char>(Colour::none);
}

bool write_painted(std::string_view text) {
  for (auto at = text.find(mark()); at != text.npos && at + mark().size() < text.size();
       at = text.find(mark())) {
    const char colour = text[at + mark().size()];
    const std::string code = colour == '0' ? "\x1b[0m" : fmt::format("\x1b[3{}m", colour);
    if (!write_plain(text.substr(0, at)) || !write_raw(code)) return false;
    text.remove_prefix(at + mark().size() + 1);
  }
  return write_plain(text) && std::fflush(stdout) == 0;
}

}  // namespace muster::cli
