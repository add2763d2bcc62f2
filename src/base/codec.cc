#include "base/codec.h"

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
        f.value |= std::uint64_t{static_cast<unsigned char>(in[static_cast<std::size_t>(i)])} << (8 * i);
      in.remove_prefix(8);
    } else if (f.type == 2) {
      std::uint64_t size = 0;
      if (!take_varint(in, size) || size > in.size()) return false;
      f.bytes = in.substr(0, size);
      in.remove_prefix(size);
    } else {
      return false;
    }
    fields_.push_back(f);
  }
  return true;
}

const Decoder::Field* Decoder::first(std::uint32_t number) const {
  for (std::size_t n = 0, i = hint_; n < fields_.size(); ++n, ++i) {
    if (i >= fields_.size()) i = 0;
    if (fields_[i].number != number) continue;
    while (i > 0 && fields_[i - 1].number == number) --i;
    hint_ = i;
    return &fields_[i];
  }
  return nullptr;
}

const Decoder::Field* Decoder::next(const Field* f) const {
  std::uint32_t number = f->number;
  for (++f; f != fields_.data() + fields_.size(); ++f) {
    if (f->number == number) {
      hint_ = static_cast<std::size_t>(f - fields_.data());
      return f;
    }
    break;  // repeated fields are written together
  }
  return nullptr;
}

}  // namespace muster
