#include "base/codec.h"

#include <algorithm>

namespace muster {

namespace {

bool take_varint(std::string_view& in, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (in.empty()) return false;
    auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

}  // namespace

bool Decoder::scan(std::string_view in) {
  while (!in.empty()) {
    std::uint64_t key = 0;
    if (!take_varint(in, key)) return false;
    Field f;
    f.number = static_cast<std::uint32_t>(key >> 3);
    f.type = static_cast<std::uint32_t>(key & 7);
    if (f.number == 0) return false;
    if (f.type == 0) {
      if (!take_varint(in, f.value)) return false;
    } else if (f.type == 1) {
      if (in.size() < 8) return false;
      for (int i = 0; i < 8; ++i)
        f.value |= std::uint64_t{static_cast<unsigned char>(in[static_cast<std::size_t>(i)])}
                   << (8 * i);
      in.remove_prefix(8);
    } else if (f.type == 2) {
      std::uint64_t size = 0;
      if (!take_varint(in, size) || size > in.size()) return false;
      f.bytes = in.substr(0, size);
      in.remove_prefix(size);
    } else {
      return false;
    }
    ascending_ = ascending_ && (fields_.empty() || fields_.back().number <= f.number);
    fields_.push_back(f);
  }
  return true;
}

const Decoder::Field* Decoder::first(std::uint32_t number) const {
  if (!ascending_ || hint_ >= fields_.size() || fields_[hint_].number >= number) hint_ = 0;
  for (std::size_t i = hint_; i < fields_.size(); ++i) {
    if (fields_[i].number < number || (!ascending_ && fields_[i].number != number)) continue;
    hint_ = i;
    return fields_[i].number == number ? &fields_[i] : nullptr;
  }
  return nullptr;
}

const Decoder::Field* Decoder::next(const Field* f) const {
  const Field* after = f + 1;
  const Field* end = fields_.data() + fields_.size();
  if (!ascending_)
    after = std::find_if(after, end, [&](const Field& g) { return g.number == f->number; });
  return after != end && after->number == f->number ? after : nullptr;
}

}  // namespace muster
