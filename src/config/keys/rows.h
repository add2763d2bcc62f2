// Where the value of a key goes: members of the programs' settings, or functions that set some.
//
//   to<&Settings::kill_wait, &NodeSettings::kill_wait>     these members, by their types (put.h)
//   to<given<&SitePrograms::prolog>>                       true if there is a value
//   to<is<&Settings::whole_nodes, "select/linear">>        true if it is this value
//   to<set_usage_reset>                                    whatever the function sets
//
// The struct of a member decides which settings it belongs to (part).
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "base/text/strings.h"
#include "config/keys/put.h"
#include "config/keys/settings.h"
#include "config/keys/stores.h"
#include "model/cluster.h"

namespace muster::config {

template <class T>
using As = std::type_identity<T>;

inline Settings& part(Settings& s, As<Settings>) { return s; }
inline PrioritySettings& part(Settings& s, As<PrioritySettings>) { return s.priority; }
inline FairShareSettings& part(Settings& s, As<FairShareSettings>) { return s.priority.shares; }
inline PreemptSettings& part(Settings& s, As<PreemptSettings>) { return s.preempt; }
inline SitePrograms& part(Settings& s, As<SitePrograms>) { return s.programs; }
inline PowerSettings& part(Settings& s, As<PowerSettings>) { return s.power; }
inline PrivateData& part(Settings& s, As<PrivateData>) { return s.private_data; }
inline RequestLimits& part(Settings& s, As<RequestLimits>) { return s.request_limits; }
inline ControllerSettings& part(ControllerSettings& s, As<ControllerSettings>) { return s; }
inline ControllerWords& part(ControllerSettings& s, As<ControllerWords>) { return s.words; }
inline OldControllers& part(ControllerSettings& s, As<OldControllers>) { return s.old_controllers; }
inline NodeSettings& part(NodeSettings& s, As<NodeSettings>) { return s; }
inline ClientSettings& part(ClientSettings& s, As<ClientSettings>) { return s; }
inline OldControllers& part(ClientSettings& s, As<OldControllers>) { return s.old_controllers; }

// What a member pointer or function writes to, and how.
template <auto store>
struct Target;
template <class C, class T, T C::* member>
struct Target<member> {
  using Class = C;
  static void put(C& c, const Type& type, std::string_view value) {
    config::put(c.*member, type, value);
  }
};
template <class C, void (*function)(C&, std::string_view)>
struct Target<function> {
  using Class = C;
  static void put(C& c, const Type&, std::string_view value) { function(c, value); }
};
template <auto store>
using ClassOf = typename Target<store>::Class;

template <class D, auto store>
constexpr bool goes_to = requires(D& d) { part(d, As<ClassOf<store>>{}); };

template <class D, auto store>
void put_into(D& d, const Type& type, std::string_view value) {
  if constexpr (goes_to<D, store>) Target<store>::put(part(d, As<ClassOf<store>>{}), type, value);
}

template <class D, auto... stores>
constexpr Put<D> put_of() {
  if constexpr ((goes_to<D, stores> || ...))
    return [](D& d, const Type& type, std::string_view value) {
      (put_into<D, stores>(d, type, value), ...);
    };
  else
    return nullptr;
}

template <auto... stores>
constexpr Stores to = {put_of<ControllerSettings, stores...>(), put_of<Settings, stores...>(),
                       put_of<NodeSettings, stores...>(), put_of<ClientSettings, stores...>()};
inline constexpr Stores by_name{.read_by_name = true};
inline constexpr Stores by_words{.read_by_words = true};

template <std::size_t size>
struct Literal {
  char text[size] = {};
  consteval Literal(const char (&given)[size]) {  // NOLINT(google-explicit-constructor)
    for (std::size_t i = 0; i < size; ++i) text[i] = given[i];
  }
  constexpr std::string_view view() const { return {text, size - 1}; }
};

template <auto member>
void given(ClassOf<member>& c, std::string_view value) {
  c.*member = !value.empty();
}
template <auto member>
void off(ClassOf<member>& c, std::string_view) {
  c.*member = false;
}
template <auto member, Literal wanted>
void is(ClassOf<member>& c, std::string_view value) {
  c.*member = iequals(value, wanted.view());
}
template <auto member, Literal unwanted>
void is_not(ClassOf<member>& c, std::string_view value) {
  c.*member = !iequals(value, unwanted.view());
}

}  // namespace muster::config
