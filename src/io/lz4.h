// lz4: packs and unpacks LZ4 blocks, for files on their way to nodes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::io {

// Unset if packing would not make the bytes smaller.
std::optional<std::string> pack_lz4(std::string_view bytes);
// Fails unless exactly `size` bytes come out.
Result<std::string> unpack_lz4(std::string_view packed, std::size_t size);

}  // namespace muster::io
