// login_shell: finds the environment that a user gets at login, by running the user's login shell.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace muster::io {

struct Login {
  std::string user, home, shell;
};

// "NAME=value" entries. If the shell does not answer in time, only basic ones such as HOME and
// PATH. `become` is called in the child before it runs the shell: it switches to the user, and
// returns false if it cannot.
std::vector<std::string> login_environment(const Login& login, const std::function<bool()>& become);

}  // namespace muster::io
