"""ResvProlog and ResvEpilog: programs of the site around a reservation."""
import tempfile
from pathlib import Path

import pytest

from muster import wait_for

PLACE = Path(tempfile.mkdtemp(prefix="muster.resv.", dir="/tmp"))
PLACE.chmod(0o777)
CLUSTER = dict(nodes=1, conf=f"ResvProlog={PLACE}/begin\nResvEpilog={PLACE}/end\n")


@pytest.fixture(scope="module", autouse=True)
def programs():
    for name in ("begin", "end"):
        (PLACE / name).write_text(f"#!/bin/bash\necho {name} $* >> {PLACE}/log\n")
        (PLACE / name).chmod(0o755)
    (PLACE / "log").write_text("")
    (PLACE / "log").chmod(0o666)
    yield
    for file in PLACE.iterdir():
        file.unlink()
    PLACE.rmdir()


def calls():
    return (PLACE / "log").read_text().splitlines()


def test_they_run_when_it_begins_and_when_it_ends(cluster):
    cluster.run("scontrol", "create", "reservation", "reservationname=r1", "starttime=now", "duration=60",
                "users=root", "nodes=n1").ok()
    wait_for(lambda: calls() == ["begin r1"], "ResvProlog")
    cluster.run("scontrol", "update", "reservation=r1", "endtime=now+2").ok()
    wait_for(lambda: calls() == ["begin r1", "end r1"], "ResvEpilog", limit=120)
    wait_for(lambda: "r1" not in cluster.run("scontrol", "show", "reservation").out, "r1 to be gone")
