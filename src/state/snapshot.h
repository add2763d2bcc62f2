// The whole state as bytes, for the snapshot file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/cluster.h"

namespace muster {

std::string encode_snapshot(const Cluster& cluster);
Result<Cluster> decode_snapshot(std::string_view bytes);

}  // namespace muster
