// Lines for the user that come with the controller's answers: what a submit script of the site
// says, whether or not the request was accepted. The command prints them once it knows which.
#pragma once

#include <string>
#include <vector>

namespace muster::cli {

void keep_notice(std::string line);
std::vector<std::string> take_notices();  // those since the last call

}  // namespace muster::cli
