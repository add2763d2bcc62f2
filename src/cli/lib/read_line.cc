// Reads a line from standard input.
#include "cli/lib/read_line.h"

#include <cstdio>
#include <cstdlib>

namespace muster::cli {

std::optional<std::string> read_line() {
  char* bytes = nullptr;
  std::size_t room = 0;
  const ssize_t length = ::getline(&bytes, &room, stdin);
  std::optional<std::string> line;
  if (length >= 0) line.emplace(bytes, static_cast<std::size_t>(length));
  std::free(bytes);
  if (line && line->ends_with('\n')) line->pop_back();
  return line;
}

}  // namespace muster::cli
