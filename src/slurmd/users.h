// What the name service knows about a job's user. Answers are cached for a while, because jobs
// often come in bursts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace muster {

struct UserInfo {
  std::string name, home, shell;
  std::vector<Gid> groups;
};

class SlurmdUsers {
 public:
  const UserInfo& find(Uid uid, Gid gid, Time now);

 private:
  struct Entry {
    UserInfo info;
    Time until;
  };
  std::map<std::pair<Uid, Gid>, Entry> known_;
};

}  // namespace muster
