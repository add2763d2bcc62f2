// LZ4 blocks, for files on their way to nodes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::io {

// Nothing where packing would not make it smaller.
std::optional<std::string> pack_lz4(std::string_view bytes);
// `size` is what comes out; bytes that do not give it are an error.
Result<std::string> unpack_lz4(std::string_view packed, std::size_t size);

}  // namespace muster::io
