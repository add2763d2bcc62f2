// Calls liblz4.
#include "io/lz4.h"

#include <lz4.h>

namespace muster::io {

std::optional<std::string> pack_lz4(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > LZ4_MAX_INPUT_SIZE) return std::nullopt;
  std::string packed(bytes.size() - 1, '\0');
  const int size = LZ4_compress_default(bytes.data(), packed.data(), static_cast<int>(bytes.size()),
                                        static_cast<int>(packed.size()));
  if (size <= 0) return std::nullopt;
  packed.resize(static_cast<std::size_t>(size));
  return packed;
}

Result<std::string> unpack_lz4(std::string_view packed, std::size_t size) {
  if (packed.size() > LZ4_MAX_INPUT_SIZE || size > LZ4_MAX_INPUT_SIZE)
    return fail(ErrorCode::too_large);
  std::string bytes(size, '\0');
  const int got = LZ4_decompress_safe(packed.data(), bytes.data(), static_cast<int>(packed.size()),
                                      static_cast<int>(size));
  if (got < 0 || static_cast<std::size_t>(got) != size) return fail("damaged LZ4 data");
  return bytes;
}

}  // namespace muster::io
