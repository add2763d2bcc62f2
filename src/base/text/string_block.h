// StringBlock: strings stored one after the other in one piece of memory, each ended by a zero
// byte. Environments are made, sent and kept in this form, so that dozens of entries cost one
// allocation.
#pragma once

#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

class StringBlock {
 public:
  class Iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    Iterator() = default;
    explicit Iterator(const char* at) : at_(at) {}
    std::string_view operator*() const { return at_; }
    Iterator& operator++() {
      at_ += std::strlen(at_) + 1;
      return *this;
    }
    Iterator operator++(int) { return std::exchange(*this, ++Iterator(*this)); }
    bool operator==(const Iterator&) const = default;

   private:
    const char* at_ = nullptr;
  };

  StringBlock() = default;
  // Takes the bytes of a block; the last zero byte may be missing.
  explicit StringBlock(std::string bytes) : bytes_(std::move(bytes)) {
    if (!bytes_.empty() && bytes_.back() != '\0') bytes_.push_back('\0');
  }
  explicit StringBlock(const std::vector<std::string>& strings) {
    for (const std::string& string : strings) push_back(string);
  }

  // A string ends at its first zero byte.
  void push_back(std::string_view string) {
    bytes_.append(string.substr(0, string.find('\0'))).push_back('\0');
  }
  void append(const StringBlock& other) { bytes_ += other.bytes_; }

  bool empty() const { return bytes_.empty(); }
  Iterator begin() const { return Iterator(bytes_.data()); }
  Iterator end() const { return Iterator(bytes_.data() + bytes_.size()); }
  std::vector<std::string> strings() const { return {begin(), end()}; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace muster
