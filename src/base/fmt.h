// fmt's formatter into a buffer, which base/fmt.cc compiles once. fmt/format.h alone would compile
// it again in each object that calls fmt::format_to: some seconds each. Precompiled headers of
// layers that do so contain this file.
#pragma once

#include <fmt/format.h>

FMT_BEGIN_NAMESPACE
namespace detail {

// Clang would otherwise compile the function to see whether it is worth inlining.
#ifdef __clang__
#define MUSTER_NOINLINE __attribute__((noinline))
#else
#define MUSTER_NOINLINE
#endif
extern template MUSTER_NOINLINE void vformat_to<char>(
    buffer<char>&, basic_string_view<char>,
    basic_format_args<FMT_BUFFER_CONTEXT(type_identity_t<char>)>, locale_ref);
#undef MUSTER_NOINLINE

}  // namespace detail
FMT_END_NAMESPACE
