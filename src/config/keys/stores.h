// Where the value of a key or word is stored: in which program's settings, and how.
#pragma once

#include <string_view>
#include <type_traits>

#include "config/keys/type.h"

namespace muster {
struct Settings;
}

namespace muster::config {

struct ControllerSettings;
struct NodeSettings;
struct ClientSettings;

template <class D>
using Put = void (*)(D&, const Type&, std::string_view);

struct Stores {
  Put<ControllerSettings> controller = nullptr;
  Put<Settings> cluster = nullptr;
  Put<NodeSettings> node = nullptr;
  Put<ClientSettings> client = nullptr;
  bool read_by_name = false;   // SlurmConf::value reads it
  bool read_by_words = false;  // words of the value have rows of their own

  template <class D>
  constexpr Put<D> into() const {
    if constexpr (std::is_same_v<D, ControllerSettings>) return controller;
    if constexpr (std::is_same_v<D, Settings>) return cluster;
    if constexpr (std::is_same_v<D, NodeSettings>) return node;
    if constexpr (std::is_same_v<D, ClientSettings>) return client;
  }
  constexpr bool any() const {
    return controller || cluster || node || client || read_by_name || read_by_words;
  }
};

}  // namespace muster::config
