// Replaces control characters in text that goes to a terminal.
#include "cli/lib/terminal.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace muster::cli {

namespace {

unsigned continuation_of(unsigned char lead) {
  if (lead >= 0xc3 && lead <= 0xdf) return 1;
  if (lead >= 0xe0 && lead <= 0xef) return 2;
  return lead >= 0xf0 && lead <= 0xf4 ? 3 : 0;
}

bool is_control(unsigned char c) {
  return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c <= 0x9f);
}

ssize_t write_plain(void* cookie, const char* bytes, std::size_t size) {
  const std::string text = static_cast<TerminalText*>(cookie)->plain({bytes, size});
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t wrote = ::write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return 0;  // tells stdio of an error
    at += static_cast<std::size_t>(wrote);
  }
  return static_cast<ssize_t>(size);
}

}  // namespace

std::string TerminalText::plain(std::string_view piece) {
  std::string out;
  out.reserve(piece.size());
  for (const char byte : piece) {
    const auto c = static_cast<unsigned char>(byte);
    if (had_c2_) {
      had_c2_ = false;
      if (c >= 0x80 && c <= 0x9f) {
        out += '?';
        continue;
      }
      out += '\xc2';
      if (c >= 0xa0 && c <= 0xbf) {
        out += byte;
        continue;
      }
    }
    if (continuation_ > 0 && (c & 0xc0) == 0x80) {
      --continuation_;
      out += byte;
      continue;
    }
    continuation_ = continuation_of(c);
    if (c == 0xc2)
      had_c2_ = true;
    else
      out += is_control(c) ? '?' : byte;
  }
  return out;
}

void protect_terminal() {
  if (::isatty(STDOUT_FILENO) == 0) return;
  static TerminalText text;
  FILE* filtered = ::fopencookie(
      &text, "w", {.read = nullptr, .write = write_plain, .seek = nullptr, .close = nullptr});
  if (!filtered) return;
  std::setvbuf(filtered, nullptr, _IOLBF, BUFSIZ);
  stdout = filtered;
}

}  // namespace muster::cli
