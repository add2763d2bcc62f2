// Formats values as text.
#include "cli/tables/field_value.h"

#include <iterator>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/size.h"
#include "base/text/strings.h"

namespace muster::cli {

bool FieldValue::is_unset() const {
  switch (kind_) {
    case Kind::unset:
      return true;
    case Kind::text:
      return text_.empty();
    case Kind::list:
      return items_.empty();
    case Kind::time:
      return !has_time();
    default:
      return false;
  }
}

void FieldValue::append_time(const Form& form) {
  if (form.times)
    form.times->append(time(), {}, shown_);
  else
    shown_ += format_date(time());
}

std::string_view FieldValue::shown(const Form& form, const char* unset) {
  if (is_unset()) {
    if (unset) return unset;
    if (kind_ == Kind::time) return form.no_time;
    return kind_ == Kind::unset ? "N/A" : "(null)";
  }
  shown_.clear();
  switch (kind_) {
    case Kind::unset:
      break;
    case Kind::text:
      return text_;
    case Kind::list:
      shown_ = join(items_, ",");
      break;
    case Kind::number:
    case Kind::flag:
      shown_ += fmt::format_int(number_).c_str();
      break;
    case Kind::real:
      fmt::format_to(std::back_inserter(shown_), "{:.2f}", real_);
      break;
    case Kind::time:
      append_time(form);
      break;
    case Kind::span:
      shown_ += form.short_spans ? format_elapsed_short(Seconds{number_})
                                 : format_elapsed(Seconds{number_});
      break;
    case Kind::limit:
      shown_ += is_unlimited()     ? "UNLIMITED"
                : form.short_spans ? format_elapsed_short(Minutes{number_})
                                   : format_limit(Minutes{number_});
      break;
    case Kind::memory:
      if (number_ == 0)
        shown_ += '0';
      else if (form.convert)
        shown_ += format_mib(static_cast<std::uint64_t>(number_));
      else
        fmt::format_to(std::back_inserter(shown_), "{}M", number_);
      break;
    case Kind::exit_status:
      if (form.raw_exit)
        fmt::format_to(std::back_inserter(shown_), "{}", number_);
      else
        fmt::format_to(std::back_inserter(shown_), "{}:{}", number_ >> 8 & 0xff, number_ & 0x7f);
      break;
  }
  return shown_;
}

}  // namespace muster::cli
