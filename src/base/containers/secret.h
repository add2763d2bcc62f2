// Secret: bytes that are not left in memory once they have been used, as keys and what they are
// made from. Each copy is wiped when it goes or is given something else.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace muster {

class Secret {
 public:
  static constexpr bool kIsText = true;  // to the codec

  Secret() = default;
  Secret(std::string_view bytes) : bytes_(bytes) {}  // NOLINT(google-explicit-constructor): a text
  Secret(const char* bytes) : bytes_(bytes) {}
  Secret(const std::string& bytes) : bytes_(bytes) {}
  Secret(std::string&& bytes) : bytes_(std::move(bytes)) { wipe(bytes); }
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept : bytes_(std::move(other.bytes_)) { wipe(other.bytes_); }
  Secret& operator=(const Secret& other) { return *this = Secret(other); }
  Secret& operator=(Secret&& other) noexcept {
    if (this == &other) return *this;
    wipe(bytes_);
    bytes_ = std::move(other.bytes_);
    wipe(other.bytes_);
    return *this;
  }
  ~Secret() { wipe(bytes_); }

  std::string_view view() const { return bytes_; }
  operator std::string_view() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  std::size_t size() const { return bytes_.size(); }
  bool operator==(const Secret&) const = default;

  // All that the string holds or has held where it is. It is empty afterwards.
  static void wipe(std::string& bytes);

 private:
  std::string bytes_;
};

}  // namespace muster
