// Runs a login shell of the user and reads its variables (sbatch --get-user-env).
#include "step/tasks/login_environment.h"

#include "io/process/login_shell.h"
#include "step/tasks/setup.h"

namespace muster::step {

void add_login_environment(Environment& environment, const StepSetup& setup) {
  const io::Login login{setup.launch.user_name.str(), setup.home.str(), setup.shell.str()};
  for (const std::string& entry :
       io::login_environment(login, [&] { return become_user(setup); })) {
    const std::size_t equals = entry.find('=');
    environment.set_if_missing(entry.substr(0, equals), entry.substr(equals + 1));
  }
  environment.erase("_");
  environment.erase("SHLVL");
}

}  // namespace muster::step
