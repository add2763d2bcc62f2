// Prints a failed CHECK and aborts.
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace muster {

void check_failed(const char* expression, const char* file, int line, const std::string& detail) {
  std::fprintf(stderr, "fatal: %s:%d: CHECK(%s) failed%s%s\n", file, line, expression,
               detail.empty() ? "" : ": ", detail.c_str());
  std::fflush(stderr);
  std::abort();
}

}  // namespace muster
