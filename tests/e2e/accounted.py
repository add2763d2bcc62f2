"""A cluster with accounting: embedded in ours; the reference gets slurmdbd and MariaDB, below the cluster's directory."""
import shutil
import subprocess

import pytest

import databases
import muster
from muster import SBIN, USER, Cluster, is_reference, wait_for


class Database:
    """MariaDB and slurmdbd of the reference, both in the cluster's directory."""

    def __init__(self, cluster):
        self.cluster, self.port = cluster, cluster.ports.base + 38
        self.server = None

    def start(self):
        place = self.cluster.directory / "db"
        place.mkdir()
        shutil.chown(place, "mysql")
        subprocess.run(["mariadb-install-db", "--no-defaults", "--user=mysql", f"--datadir={place}",
                        "--auth-root-authentication-method=normal"], check=True, capture_output=True)
        with open(self.cluster.directory / "log/mariadb.log", "w") as log:
            self.server = subprocess.Popen(
                ["mariadbd", "--no-defaults", "--user=mysql", f"--datadir={place}", f"--socket={place}/socket",
                 f"--port={self.port}", "--bind-address=127.0.0.1"], stdout=log, stderr=log)
        wait_for(lambda: self.sql("select 1").returncode == 0, "MariaDB to answer")
        self.sql("create user slurm@'127.0.0.1' identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'")
        conf = self.cluster.directory / "etc/slurmdbd.conf"
        conf.write_text(f"""\
AuthType=auth/munge
{self.cluster.munge.conf}
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={self.port + 1}
SlurmUser={USER}
LogFile={self.cluster.directory}/log/slurmdbd.log
PidFile={self.cluster.directory}/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={self.port}
StorageUser=slurm
StoragePass=slurm
StorageLoc=accounting
""")
        conf.chmod(0o600)
        self.cluster.run(SBIN / "slurmdbd").ok()
        wait_for(lambda: self.cluster.run("sacctmgr", "-n", "show", "cluster").code == 0, "slurmdbd to answer")

    def sql(self, text):
        return subprocess.run(["mariadb", "--no-defaults", "-S", self.cluster.directory / "db/socket", "-e", text],
                              capture_output=True)

    def stop(self):
        self.cluster._stop(self.cluster.directory / "run/slurmdbd.pid", muster.signal.SIGTERM)
        if self.server:
            self.server.terminate()
            self.server.wait()


class ReferenceCluster(Cluster):
    """slurmctld of the reference with its accounting."""

    def __post_init__(self):
        super().__post_init__()
        self.has_accounting = True
        port = self.ports.base + 39
        self.conf += (f"AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\n"
                      f"AccountingStoragePort={port}\n")
        self.database = Database(self)

    def start_controller(self):
        self.database.start()
        self.run("sacctmgr", "-i", "add", "cluster", "e2e").ok()
        super().start_controller()

    def down(self):
        super().down()
        self.database.stop()


def accounted_cluster(**options):
    if not is_reference():
        return databases.usual_cluster(**options)
    needed = [program for program in ("mariadbd", "mariadb-install-db", "slurmdbd") if not shutil.which(program)]
    if needed or not muster.IS_ROOT:
        pytest.skip(f"the reference needs root and {', '.join(needed)}")
    return ReferenceCluster(**options)
