// ParsedText<parse>: a text and what it means. It is parsed once, when it is set or read back, and
// copies share both. An empty text takes a pointer and no other memory. Messages and the journal
// contain the text.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

#include "base/containers/sparse.h"
#include "base/containers/text.h"

namespace muster {

// `parse` makes the value from a text. The value of an empty text is the default one.
template <auto parse>
class ParsedText {
 public:
  using Value = decltype(parse(std::string_view()));
  static constexpr bool kIsText = true;  // for the codec

  ParsedText() = default;
  ParsedText(std::string_view text)  // NOLINT(google-explicit-constructor): it is a text
      : ParsedText(Text(text)) {}
  ParsedText(const char* text) : ParsedText(Text(text)) {}
  ParsedText(const std::string& text) : ParsedText(Text(text)) {}
  ParsedText(const Text& text) {
    if (!text.empty()) kept_ = Kept{text, parse(text.view())};
  }

  bool empty() const { return kept_.is_default(); }
  const Text& text() const { return kept_->text; }
  std::string_view view() const { return kept_->text; }
  // Explicit, so that a list is not taken for one of its items.
  explicit operator std::string_view() const { return view(); }

  const Value& parsed() const { return kept_->value; }

  friend bool operator==(const ParsedText& a, const ParsedText& b) { return a.text() == b.text(); }
  friend bool operator==(const ParsedText& a,
                         const std::convertible_to<std::string_view> auto& text) {
    return a.view() == std::string_view(text);
  }

 private:
  struct Kept {
    Text text;
    Value value{};
  };
  Sparse<Kept> kept_;
};

}  // namespace muster
