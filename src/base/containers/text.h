// Text: an immutable string, shared between copies, that takes one pointer. Jobs hold dozens of
// strings that are mostly empty and are copied with every snapshot; as std::string each would take
// 32 bytes.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

class Text {
 public:
  Text() = default;
  Text(std::string_view s);  // NOLINT(google-explicit-constructor): a Text is a string
  Text(const char* s) : Text(std::string_view(s)) {}
  Text(const std::string& s) : Text(std::string_view(s)) {}
  Text(const Text& other) noexcept : rep_(other.rep_) { retain(); }
  Text(Text&& other) noexcept : rep_(other.rep_) { other.rep_ = nullptr; }
  Text& operator=(const Text& other) noexcept {
    if (rep_ != other.rep_) *this = Text(other);
    return *this;
  }
  Text& operator=(Text&& other) noexcept {
    std::swap(rep_, other.rep_);
    return *this;
  }
  ~Text() {
    if (rep_) release();
  }

  std::string_view view() const {
    if (!rep_) return {};
    return {reinterpret_cast<const char*>(rep_) + sizeof(Rep), rep_->size};
  }
  operator std::string_view() const { return view(); }
  std::string str() const { return std::string(view()); }
  bool empty() const { return rep_ == nullptr; }
  bool shares_with(const Text& other) const { return rep_ == other.rep_; }

  friend bool operator==(const Text& a, const Text& b) {
    return a.rep_ == b.rep_ || a.view() == b.view();
  }
  friend bool operator==(const Text& a, std::string_view b) { return a.view() == b; }
  friend bool operator==(const Text& a, const char* b) { return a.view() == b; }
  friend bool operator==(const Text& a, const std::string& b) { return a.view() == b; }
  friend auto operator<=>(const Text& a, const Text& b) { return a.view() <=> b.view(); }

 private:
  struct Rep {
    std::atomic<std::uint32_t> references;
    std::uint32_t size;
  };
  void retain() const {
    if (rep_) rep_->references.fetch_add(1, std::memory_order_relaxed);
  }
  void release();

  Rep* rep_ = nullptr;  // the characters follow the header
};

}  // namespace muster
