// The environment that a login gives a user: his shell is run as a login shell and asked.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace muster::io {

struct Login {
  std::string user, home, shell;
};

// "NAME=value" entries; those of every login where the shell does not answer in time. `become` is
// called in the child before it runs the shell: it becomes the user, or says that it cannot.
std::vector<std::string> login_environment(const Login& login, const std::function<bool()>& become);

}  // namespace muster::io
