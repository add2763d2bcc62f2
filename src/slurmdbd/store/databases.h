// databases: the three kinds of databases that slurmdbd can use, each as a function that connects.
#pragma once

#include <memory>

#include "config/files/slurmdbd_conf.h"
#include "slurmdbd/store/sql.h"

namespace muster::dbd {

// An error with code `communication` may pass: the server is not there, or not yet. Any other needs
// somebody to do something.
Result<std::unique_ptr<SqlConnection>> connect_mariadb(const config::DbdConf& conf);
Result<std::unique_ptr<SqlConnection>> connect_postgres(const config::DbdConf& conf);
Result<std::unique_ptr<SqlConnection>> open_sqlite(const config::DbdConf& conf);

SqlDatabase::Open opener(const config::DbdConf& conf);

}  // namespace muster::dbd
