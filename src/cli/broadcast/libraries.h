// The shared libraries of a program, which --send-libs copies to the nodes too.
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

// The directory for the libraries, next to the program.
std::string library_directory(const std::string& program);

// The libraries in the output of ldd, without those below an excluded directory.
std::vector<std::string> libraries_in(std::string_view ldd_output, std::string_view exclude);

// Sends the libraries to the nodes that have the program. Returns the errno of a failure.
int broadcast_libraries(std::string_view program, const ClientConfig& config,
                        const wire::BroadcastReply& nodes, const std::string& source,
                        const std::string& destination, const LibraryOptions& libraries,
                        const BroadcastOptions& options);

}  // namespace muster::cli
