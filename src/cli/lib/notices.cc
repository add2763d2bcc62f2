// Keeps the lines of this process.
#include "cli/lib/notices.h"

#include <utility>

namespace muster::cli {

namespace {

std::vector<std::string> kept_notices;

}  // namespace

void keep_notice(std::string line) { kept_notices.push_back(std::move(line)); }

std::vector<std::string> take_notices() { return std::exchange(kept_notices, {}); }

}  // namespace muster::cli
