"""Debian's Open MPI and MPICH: started by srun, and by their own launchers inside an allocation of four nodes."""
import os
import re
import subprocess
from pathlib import Path

import pytest

import muster

HERE = Path(__file__).resolve().parent
HELLO = [f"rank {rank} of 8 sum 28" for rank in range(8)]


@pytest.fixture(scope="module")
def cluster():
    cluster = muster.Cluster(nodes=4).up()
    yield cluster
    cluster.down()


@pytest.fixture(scope="module")
def hello(tmp_path_factory):
    """The program, built with the MPI of that name."""
    folder = tmp_path_factory.mktemp("mpi")

    def build(mpi):
        program = folder / f"hello.{mpi}"
        subprocess.run([f"mpicc.{mpi}", "-o", program, HERE / "mpi_hello.c"], check=True)
        return program
    return build


@pytest.mark.parametrize("mpi, kind", [("openmpi", "pmix"), ("mpich", "pmi2")])
def test_srun_starts_the_ranks(as_client, hello, mpi, kind):
    done = as_client.run("srun", f"--mpi={kind}", "--mem=100", "-N4", "-n8", hello(mpi), limit=60).ok()
    assert sorted(done.lines) == HELLO


@pytest.mark.parametrize("mpi, launcher", [
    ("openmpi", ["mpirun.openmpi", "--allow-run-as-root"]),
    ("mpich", ["mpiexec.hydra", "-rmk", "slurm", "-launcher", "slurm"])])
def test_the_own_launcher_runs_in_an_allocation(as_client, hello, mpi, launcher):
    done = as_client.run("salloc", "--mem=400", "-N4", "-n8", *launcher, hello(mpi), limit=60).ok()
    assert sorted(re.findall(r"rank \d of 8 sum 28", done.out)) == HELLO


@pytest.mark.parametrize("mpi, kind", [("openmpi", "pmix"), ("mpich", "pmi2")])
def test_an_abort_ends_all_ranks(as_client, tmp_path, mpi, kind):
    source = tmp_path / "abort.c"
    source.write_text("#include <mpi.h>\nint main(int c, char** v) { int rank; MPI_Init(&c, &v);\n"
                      "MPI_Comm_rank(MPI_COMM_WORLD, &rank); if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);\n"
                      "MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }\n")
    subprocess.run([f"mpicc.{mpi}", "-o", tmp_path / "abort", source], check=True)
    os.chmod(tmp_path, 0o755)
    done = as_client.run("srun", f"--mpi={kind}", "--mem=100", "-N2", "-n4", tmp_path / "abort", limit=60)
    assert done.code != 0
    assert "Terminating StepId=" in done.err
