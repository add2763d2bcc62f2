// The value of a record's field, before a listing, `scontrol show` or --json formats it. The
// getters in tables of fields fill it in.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/duration.h"
#include "base/time.h"
#include "cli/tables/table_format.h"

namespace muster::cli {

// How values are formatted.
struct Form {
  const TimeStyle* times = nullptr;  // none: ISO
  std::string_view no_time = "N/A";
  bool short_spans = false;  // "3:04" for "00:03:04"
  bool raw_exit = false;     // the wait status instead of "1:0"
  bool convert = true;       // 1024M prints as 1G
};

// Sorted last in both directions.
inline constexpr std::int64_t kUnsetKey = std::numeric_limits<std::int64_t>::max();

class FieldValue {
 public:
  enum class Kind : std::uint8_t {
    unset,
    text,
    list,
    number,
    real,
    flag,
    time,
    span,
    limit,
    memory,
    exit_status
  };

  void reset() {
    kind_ = Kind::unset;
    text_.clear();
    items_.clear();
  }

  // A getter calls one of these, or none if the record has no such value.
  std::string& text() {  // the caller writes into it
    kind_ = Kind::text;
    return text_;
  }
  void text(std::string_view text) { this->text() += text; }  // may be called several times
  void list(std::vector<std::string> items) {
    kind_ = Kind::list;
    items_ = std::move(items);
  }
  template <std::integral N>
  void number(N number) {
    set(Kind::number, static_cast<std::int64_t>(number));
  }
  template <std::integral N>
  void number(const std::optional<N>& number) {
    if (number) this->number(*number);
  }
  void real(double real) {
    kind_ = Kind::real;
    real_ = real;
  }
  void flag(bool flag) { set(Kind::flag, flag ? 1 : 0); }
  void time(Time time) {
    set(Kind::time, is_set(time) ? time.time_since_epoch().count() : kUnsetKey);
  }
  void span(Seconds span) { set(Kind::span, span.count()); }
  void limit(Minutes limit) { set(Kind::limit, limit.count()); }
  void memory(std::uint64_t mib) { set(Kind::memory, static_cast<std::int64_t>(mib)); }
  void exit_status(std::uint32_t status) { set(Kind::exit_status, status); }

  Kind kind() const { return kind_; }
  bool is_plain_text() const { return kind_ == Kind::text && !text_.empty(); }
  std::string_view plain_text() const { return text_; }
  const std::vector<std::string>& items() const { return items_; }
  double real() const { return real_; }
  std::int64_t number() const { return number_; }
  bool has_time() const { return number_ != kUnsetKey; }
  Time time() const { return Time{Time::duration{number_}}; }
  bool is_unlimited() const { return number_ == kUnlimited.count(); }

  // Whether there is nothing to print.
  bool is_unset() const;
  // Text and lists are sorted as text, other values as numbers.
  bool sorts_as_text() const { return kind_ == Kind::text || kind_ == Kind::list; }
  std::int64_t key() const { return kind_ == Kind::unset ? kUnsetKey : number_; }

  // The formatted value; if there is nothing to print, `unset` or the default for its kind
  // ("(null)", "N/A"). Valid until the value changes.
  std::string_view shown(const Form& form, const char* unset);

 private:
  void set(Kind kind, std::int64_t number) {
    kind_ = kind;
    number_ = number;
  }
  void append_time(const Form& form);

  Kind kind_ = Kind::unset;
  std::int64_t number_ = 0;
  double real_ = 0;
  std::string text_;
  std::string shown_;  // the last formatted value that was not a text
  std::vector<std::string> items_;
};

}  // namespace muster::cli
