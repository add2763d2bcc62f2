// Picks the kind of database that slurmdbd.conf names.
#include "slurmdbd/store/databases.h"

namespace muster::dbd {

SqlDatabase::Open opener(const config::DbdConf& conf) {
  return [conf] {
    switch (conf.storage) {
      case config::StorageType::postgresql:
        return connect_postgres(conf);
      case config::StorageType::sqlite:
        return open_sqlite(conf);
      case config::StorageType::mariadb:
        break;
    }
    return connect_mariadb(conf);
  };
}

}  // namespace muster::dbd
