"""Databases and slurmdbd for tests: each in a directory of its own, on ports of the test's block.

    database = databases.make("mariadb", cluster.directory / "db", port)
    database.start()

Debian's servers run as their own users where the test is root, and as the test's user elsewhere.
"""
import os
import pwd
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import muster
from muster import IS_ROOT, SBIN, USER, Cluster, is_alive, wait_for

KINDS = "mariadb postgresql sqlite".split()


class Server:
    """A database server that can be stopped, killed and started again with what it has stored."""

    def __init__(self, place, port):
        self.place, self.port, self.process = Path(place), port, None
        self.log = self.place.with_name(self.place.name + ".log")

    def start(self):
        if not self.place.exists():
            self.place.mkdir(mode=0o700)
            if IS_ROOT:
                shutil.chown(self.place, self.OWNER, pwd.getpwnam(self.OWNER).pw_gid)
            self.create()
            self.launch()
            self.add_user()
        else:
            self.launch()

    def launch(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(self.as_owner(self.command()), stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                            cwd=self.place.parent)
        wait_for(self.answers, lambda: f"the database to answer:\n{self.log.read_text()[-2000:]}")

    def as_owner(self, words):
        if not IS_ROOT:
            return words
        return ["setpriv", f"--reuid={self.OWNER}", f"--regid={pwd.getpwnam(self.OWNER).pw_gid}", "--clear-groups", *words]

    def must(self, *words):
        done = subprocess.run(self.as_owner([str(word) for word in words]), capture_output=True, text=True, cwd="/")
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def end(self, sig):
        if self.process:
            self.process.send_signal(sig)
            self.process.wait()
            self.process = None

    def stop(self):
        self.end(signal.SIGTERM)

    def kill(self):
        self.end(signal.SIGKILL)


class MariaDb(Server):
    OWNER, TYPE = "mysql", "accounting_storage/mysql"
    PROGRAMS = "mariadbd", "mariadb-install-db", "mariadb"

    def create(self):
        self.must("mariadb-install-db", "--no-defaults", f"--datadir={self.place}", "--auth-root-authentication-method=normal")

    def command(self):
        return ["mariadbd", "--no-defaults", f"--datadir={self.place}", f"--socket={self.place}/socket", f"--port={self.port}",
                "--bind-address=127.0.0.1", f"--pid-file={self.place}/pid"]

    def client(self, text):
        return subprocess.run(["mariadb", "--no-defaults", "-S", self.place / "socket", "-u", "root", "-N", "-B", "-e", text],
                              capture_output=True, text=True)

    def answers(self):
        return self.client("select 1").returncode == 0

    def add_user(self):
        self.client("create user slurm@'127.0.0.1' identified by 'a#b c'; grant all on accounting.* to slurm@'127.0.0.1'")

    def sql(self, text):
        done = self.client("use accounting; " + text)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()


class Postgres(Server):
    OWNER, TYPE = "postgres", "accounting_storage/postgresql"
    PROGRAMS = ("/usr/lib/postgresql/15/bin/postgres",)
    BIN = Path(PROGRAMS[0]).parent

    def create(self):
        self.must(self.BIN / "initdb", "-D", self.place / "data", "-U", "postgres", "--auth-local=trust",
                  "--auth-host=scram-sha-256", "-E", "UTF8", "--locale=C")

    def command(self):
        return [str(self.BIN / "postgres"), "-D", f"{self.place}/data", "-p", str(self.port), "-k", str(self.place),
                "-c", "listen_addresses=127.0.0.1"]

    def client(self, text, database="postgres"):
        return subprocess.run([self.BIN / "psql", "-h", self.place, "-p", str(self.port), "-U", "postgres", "-d", database,
                               "-A", "-t", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", text], capture_output=True, text=True)

    def answers(self):
        return self.client("select 1").returncode == 0

    def add_user(self):
        for text in ("create user slurm password 'a#b c'", "create database accounting owner slurm"):
            done = self.client(text)
            assert done.returncode == 0, done.stderr

    def sql(self, text):
        done = self.client(text, "accounting")
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()


class Sqlite:
    """A file; it has no server that could be away."""
    TYPE, PROGRAMS = "accounting_storage/sqlite", ()

    def __init__(self, place, port):
        self.place, self.port = Path(place), port

    def start(self):
        self.place.mkdir(exist_ok=True)

    def stop(self):
        pass


def make(kind, place, port):
    return {"mariadb": MariaDb, "postgresql": Postgres, "sqlite": Sqlite}[kind](place, port)


def missing(kind):
    """Programs that are not installed."""
    return [p for p in make(kind, "/db", 0).PROGRAMS if not shutil.which(p)]


class Slurmdbd:
    """slurmdbd of one directory, with its configuration, in which `conf` replaces and adds keys."""

    def __init__(self, directory, database, port, munge, conf=None):
        self.directory, self.database, self.port = Path(directory), database, port
        self.munge, self.conf = munge, conf or {}
        self.config_file = self.directory / "etc/slurmdbd.conf"
        self.pid_file = self.directory / "run/slurmdbd.pid"

    def write_config(self):
        d, storage = self.directory, self.database
        keys = {"AuthType": "auth/munge", "DbdHost": socket.gethostname().split(".")[0], "DbdAddr": "127.0.0.1", "DbdPort": self.port,
                "SlurmUser": USER, "LogFile": f"{d}/log/slurmdbd.log", "PidFile": self.pid_file, "StorageType": storage.TYPE,
                "StorageHost": "127.0.0.1", "StoragePort": storage.port, "StorageUser": "slurm", "StoragePass": '"a\\#b c"',
                "StorageLoc": f"{storage.place}/file" if storage.TYPE.endswith("sqlite") else "accounting", **self.conf}
        if self.munge.conf:
            keys["AuthInfo"] = self.munge.conf.removeprefix("AuthInfo=")
        self.config_file.write_text("".join(f"{key}={value}\n" for key, value in keys.items()))
        self.config_file.chmod(0o600)

    def run(self, *options):
        environment = os.environ | {"SLURM_CONF": str(self.directory / "etc/slurm.conf")}
        return subprocess.run([SBIN / "slurmdbd", *options], env=environment, capture_output=True, text=True, timeout=60)

    def start(self):
        done = self.run()
        assert done.returncode == 0, done.stderr

    @property
    def pid(self):
        return Cluster._pid(self.pid_file)

    def end(self, sig):
        pid = self.pid
        if not pid or not is_alive(pid):
            return
        os.kill(pid, sig)
        wait_for(lambda: not is_alive(pid), "slurmdbd to end", limit=30)

    def stop(self):
        self.end(signal.SIGTERM)

    def kill(self):
        self.end(signal.SIGKILL)


def usual_cluster(**options):
    """With MUSTER_DATABASE, a cluster whose accounting is slurmdbd's: the same tests must pass."""
    kind = os.environ.get("MUSTER_DATABASE")
    return DbdCluster(database=kind, **options) if kind else Cluster(**options)


class DbdCluster(Cluster):
    """A cluster whose accounts and accounting are slurmdbd's: its own, or another one's."""

    def __init__(self, database="mariadb", dbd=None, dbd_conf=None, **options):
        self.kind, self.dbd, self.owns_dbd, self.dbd_conf = database, dbd, dbd is None, dbd_conf or {}
        super().__init__(**options)

    def __post_init__(self):
        super().__post_init__()
        if self.owns_dbd:
            database = make(self.kind, self.directory / "db", self.ports.base + 38)
            self.dbd = Slurmdbd(self.directory, database, self.ports.base + 39, self.munge, self.dbd_conf)
        self.conf += (f"\nAccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\n"
                      f"AccountingStoragePort={self.dbd.port}\n")

    @property
    def database(self):
        return self.dbd.database

    def up(self):
        try:
            self.prepare()
        except BaseException:
            self.print_logs()
            self.down()
            raise
        return super().up()

    def prepare(self):
        """Starts what slurmctld needs besides munge."""
        if not self.owns_dbd:
            return
        self.munge.start()
        self.write_config()
        self.dbd.write_config()
        self.database.start()
        self.dbd.start()

    def start_controller(self, *options):
        """slurmctld does not wait for slurmdbd, but tests that know nothing of it expect their records at once."""
        super().start_controller(*options)
        if self.dbd.pid and is_alive(self.dbd.pid) and getattr(self.database, "process", True):
            wait_for(self.is_connected, "the controller at slurmdbd")

    def is_connected(self):
        rows = self.run("sacctmgr", "-nP", "show", "cluster", "format=cluster,controlhost,controlport").lines
        return any(row.endswith(f"|127.0.0.1|{self.ports.base}") for row in rows)

    def down(self):
        super().down()
        if self.owns_dbd:
            self.dbd.stop()
            self.database.stop()
