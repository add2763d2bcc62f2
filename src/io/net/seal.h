// Seal: encrypts and authenticates whole frames with AES-256-GCM. The nonce is the direction and
// the frame's number in that direction, so a frame that is repeated, dropped, reordered or sent
// back does not open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::io {

inline constexpr std::size_t kSealKeyBytes = 32;
inline constexpr std::size_t kSealTagBytes = 16;

enum class Direction : std::uint8_t { to_server = 0, to_client = 1 };

class Seal {
 public:
  explicit Seal(std::string_view key);  // requires kSealKeyBytes
  Seal(Seal&&) noexcept;
  Seal& operator=(Seal&&) noexcept;
  ~Seal();

  // Appends the sealed frame to `out`; it is kSealTagBytes longer than the plain one.
  void close(Direction direction, std::uint64_t number, std::string_view plain, std::string& out);
  Result<std::string> open(Direction direction, std::uint64_t number, std::string_view sealed);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace muster::io
