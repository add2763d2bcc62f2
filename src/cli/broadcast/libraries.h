// The shared libraries of a program, which --send-libs copies to the nodes along with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/broadcast/broadcast.h"

namespace muster::cli {

struct LibraryOptions {
  bool send = false;                                        // --send-libs
  std::string exclude = "/lib,/usr/lib,/lib64,/usr/lib64";  // directories, or NONE
};  // "", "yes" or "no".
std::optional<bool> parse_send_libs(std::string_view value);

// Where they go: beside the program.
std::string library_directory(const std::string& program);

// The files that `ldd` names, but for those below an excluded directory.
std::vector<std::string> libraries_in(std::string_view ldd_output, std::string_view exclude);

// Sends them to the nodes that have the program. The errno of a failure.
int broadcast_libraries(std::string_view program, const ClientConfig& config,
                        const wire::BroadcastReply& nodes, const std::string& source,
                        const std::string& destination, const LibraryOptions& libraries,
                        const BroadcastOptions& options);

}  // namespace muster::cli
