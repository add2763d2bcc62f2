// Sends a file to the nodes of a job, for sbcast and srun --bcast.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lib/controller.h"
#include "wire/client_messages.h"
#include "wire/step_messages.h"

namespace muster::cli {

struct BroadcastOptions {
  std::size_t block_bytes = 8u << 20;
  std::uint32_t fanout = 0;  // children of each node that passes the file on; 0 = TreeWidth
  bool compress = false;
  Seconds timeout{0};  // without progress; 0 = no limit
};

struct SourceFile {
  int fd = -1;  // owned by the caller
  wire::FileOffer offer;
};

// Prints what failed and where. Returns the errno of a failure, 0 if all nodes have the file.
int broadcast(std::string_view program, const ClientConfig& config,
              const wire::BroadcastReply& nodes, const SourceFile& file,
              const BroadcastOptions& options);

// Opens the file to be sent; the errno on failure.
std::expected<SourceFile, int> open_source(const std::string& path, std::string destination,
                                           bool overwrites, bool keeps_times);

}  // namespace muster::cli
