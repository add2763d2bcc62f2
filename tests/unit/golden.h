// Golden bytes: how each kind of event, message and row is encoded, kept in tests/unit/golden. A
// test fails for a kind without a line, for bytes that changed, and for an old line that can no
// longer be read or is read differently.
//
// A message with every field set is made from its fields() list, so a new kind or field needs no
// code here, only a new line: `make golden GOLDEN=add` puts it behind the older lines of its kind,
// which stay. `make golden` writes all lines anew; that is for formats that are not released yet.
#pragma once

#include <cxxabi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <typeindex>
#include <utility>
#include <variant>
#include <vector>

#include "base/codec/codec.h"
#include "base/text/idset.h"

namespace muster::test {

// Sets every field to a value that is not its default and depends on the field's number.
class Filler {
 public:
  template <class T>
  void operator()(std::uint32_t number, T& value) {
    fill(number, value);
  }

  template <class T>
  void fill(std::uint32_t number, T& value) {
    using namespace codec_detail;
    if constexpr (std::is_same_v<T, IdSet>)
      value = IdSet::range(number, number + 1);
    else if constexpr (std::is_same_v<T, StringBlock>)
      value.push_back("A=" + std::to_string(number));
    else if constexpr (is_list<T>)
      fill_list(number, value);
    else if constexpr (is<T, std::set>)
      value = {made<typename T::value_type>(number)};
    else if constexpr (is<T, std::map>)
      value.emplace(made<typename T::key_type>(number), made<typename T::mapped_type>(number));
    else if constexpr (is<T, std::optional> || is<T, Cow>)
      value = T(made<std::remove_cvref_t<decltype(*value)>>(number));
    else if constexpr (is<T, Sparse>)
      fill(number, value.edit());
    else if constexpr (is<T, std::pair>)
      fill(number, value.first), fill(number + 1, value.second);
    else if constexpr (is<T, std::variant>)
      fill(number, value.template emplace<0>());
    else if constexpr (Struct<T>)
      fill_struct(value);
    else if constexpr (requires { T::kIsText; })
      value = T(Text("afterok:" + std::to_string(number)));
    else if constexpr (String<T>)
      value = T("f" + std::to_string(number));
    else
      fill_number(number, value);
  }

 private:
  template <class T>
  T made(std::uint32_t number) {
    T value{};
    fill(number, value);
    return value;
  }
  // Stops at a list that leads back to what contains it.
  template <class T>
  void fill_list(std::uint32_t number, T& list) {
    using Item = typename T::value_type;
    if (std::ranges::find(around_, std::type_index(typeid(Item))) == around_.end())
      list.push_back(made<Item>(number));
  }
  template <class T>
  void fill_struct(T& value) {
    around_.emplace_back(typeid(T));
    value.fields(*this);
    around_.pop_back();
  }
  template <class T>
  static void fill_number(std::uint32_t number, T& value) {
    using namespace codec_detail;
    if constexpr (std::is_same_v<T, bool>)
      value = !value;
    else if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(static_cast<std::uint64_t>(value) == 1 ? 0 : 1);
    else if constexpr (std::is_floating_point_v<T>)
      value = number + 0.5;
    else if constexpr (StrongId<T>)
      value = T{static_cast<typename T::rep>(1000 + number)};
    else if constexpr (TimePoint<T>)
      value = T{typename T::duration{1'800'000'000'000 + number}};
    else if constexpr (is<T, std::chrono::duration>)
      value = T{1000 + static_cast<typename T::rep>(number)};
    else
      value = static_cast<T>(1000 + number);
  }

  std::vector<std::type_index> around_;
};

template <class T>
T filled() {
  T value{};
  Filler().fill(1, value);
  return value;
}

// The name without its namespaces.
template <class T>
std::string kind_name() {
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, &status), &std::free);
  std::string text = name ? name.get() : typeid(T).name();
  return text.substr(text.rfind(':') + 1);
}

// A file of lines "KIND BYTES", with hexadecimal bytes. Several lines of one kind are in the order
// of the versions that wrote them.
class GoldenFile {
 public:
  struct Line {
    std::string kind, bytes;
  };

  explicit GoldenFile(const std::string& name)
      : path_(std::string(MUSTER_UNIT_TESTS "/golden/") + name + ".txt") {
    const char* mode = std::getenv("MUSTER_GOLDEN");
    rewrites_ = mode && std::string_view(mode) == "rewrite";
    adds_ = mode && std::string_view(mode) == "add";
    std::ifstream file(path_);
    for (std::string text; std::getline(file, text);) {
      if (text.empty() || text.starts_with('#')) continue;
      auto space = text.find(' ');
      lines_.push_back({text.substr(0, space), from_hex(std::string_view(text).substr(space + 1))});
    }
    if (rewrites_) lines_.clear();
  }

  const std::vector<Line>& lines() const { return lines_; }
  bool is_extended() const { return rewrites_ || adds_; }
  void append(std::string kind, std::string bytes) {
    lines_.push_back({std::move(kind), std::move(bytes)});
  }

  // The newest line of this kind must have these bytes.
  void expect(const std::string& kind, const std::string& bytes) {
    kinds_.push_back(kind);
    auto newest = std::find_if(lines_.rbegin(), lines_.rend(),
                               [&](const Line& line) { return line.kind == kind; });
    if (newest != lines_.rend() && newest->bytes == bytes) return;
    if (is_extended())
      lines_.insert(newest == lines_.rend() ? lines_.end() : newest.base(), {kind, bytes});
    else if (newest == lines_.rend())
      ADD_FAILURE() << path_ << " has no line for " << kind << "; `make golden GOLDEN=add` adds it";
    else
      ADD_FAILURE() << kind << " is written in another way than " << path_
                    << " says. Only new fields may be added: `make golden GOLDEN=add`";
  }
  // Every line of the kind can be read, and is written the same again.
  template <class Message>
  void expect_readable(const std::string& kind) const {
    for (const Line& line : lines_) {
      if (line.kind != kind) continue;
      auto message = decode<Message>(line.bytes);
      ASSERT_TRUE(message) << kind << " in " << path_ << " cannot be read any more";
      EXPECT_EQ(to_hex(encode(*message)), to_hex(line.bytes)) << kind << " in " << path_;
    }
  }
  void expect_no_other_kinds() const {
    for (const Line& line : lines_)
      EXPECT_NE(std::ranges::find(kinds_, line.kind), kinds_.end())
          << line.kind << " in " << path_ << " is unknown";
  }
  void save() const {
    if (!is_extended()) return;
    std::ofstream file(path_);
    file << "# Written by `make golden`; see tests/unit/golden.h.\n";
    for (const Line& line : lines_) file << line.kind << ' ' << to_hex(line.bytes) << '\n';
    EXPECT_TRUE(file.flush()) << path_;
  }

 private:
  static std::string from_hex(std::string_view hex) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
      bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
    return bytes;
  }
  static std::string to_hex(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (unsigned char c : bytes) {
      hex.push_back(kDigits[c >> 4]);
      hex.push_back(kDigits[c & 15]);
    }
    return hex;
  }

  std::string path_;
  std::vector<Line> lines_;
  std::vector<std::string> kinds_;
  bool rewrites_ = false, adds_ = false;
};

// A line for each alternative of the variant, in the message that `wrap` makes of it.
template <class Variant, class Wrap>
void expect_golden(const std::string& name, Wrap wrap) {
  using Message = decltype(wrap(std::declval<Variant>()));
  GoldenFile golden(name);
  auto expect = [&]<class Kind>(Kind kind) {
    golden.expect(kind_name<Kind>(), encode(wrap(std::move(kind))));
    golden.expect_readable<Message>(kind_name<Kind>());
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (expect(filled<std::variant_alternative_t<I, Variant>>()), ...);
  }(std::make_index_sequence<std::variant_size_v<Variant>>{});
  golden.expect_no_other_kinds();
  golden.save();
}

// A line for each struct.
template <class... Structs>
void expect_golden_structs(const std::string& name) {
  GoldenFile golden(name);
  ((golden.expect(kind_name<Structs>(), encode(filled<Structs>())),
    golden.expect_readable<Structs>(kind_name<Structs>())),
   ...);
  golden.expect_no_other_kinds();
  golden.save();
}

}  // namespace muster::test
