"""srun --mpi: requests of tasks to their process manager, sent by small clients in Python."""
import textwrap

import pytest

import muster

CLUSTER = dict(nodes=4)

# PMI-1 in lines; PMI-2 with a length before each message.
CLIENT = textwrap.dedent("""\
    import os, sys
    rank, size, fd = (int(os.environ["PMI_" + name]) for name in ("RANK", "SIZE", "FD"))
    step = os.environ["PMI_JOBID"]

    def read(count):
        data = b""
        while len(data) < count:
            more = os.read(fd, count - len(data))
            if not more:
                sys.exit("the process manager has hung up")
            data += more
        return data

    def ask(line):
        os.write(fd, line.encode() + b"\\n")
        answer = b""
        while not answer.endswith(b"\\n"):
            answer += read(1)
        return answer.decode().strip()

    def ask2(text):
        os.write(fd, b"%6d" % len(text) + text.encode())
        return read(int(read(6))).decode()
    """)


@pytest.fixture
def client(cluster):
    def write(body):
        path = cluster.work / "client.py"
        path.write_text(CLIENT + textwrap.dedent(body))
        return ["python3", str(path)]
    return write


def srun(cluster, *words, **options):
    return cluster.run("srun", "--mem=100", *words, **options)


def test_the_list_names_what_there_is(cluster):
    done = srun(cluster, "--mpi=list").ok()
    lines = done.out.splitlines()
    assert lines[0] == "MPI plugin types are..."
    assert {"\tnone", "\tpmi2", "\tpmix"} <= set(lines)
    assert done.err == ""


def test_an_unknown_kind_is_refused(cluster):
    done = srun(cluster, "--mpi=nonsense", "true")
    assert done.code == 1
    assert "srun: error: Invalid MPI type 'nonsense', --mpi=list for acceptable types\n" in done.err


@pytest.mark.parametrize("words, environment", [(["--mpi=pmi2"], {}), ([], {"SLURM_MPI_TYPE": "pmi2"})])
def test_values_put_before_a_barrier_are_everywhere_after_it(cluster, client, words, environment):
    done = srun(cluster, *words, "-N4", "-n8", "-m", "cyclic", *client("""\
        ask("cmd=init pmi_version=1 pmi_subversion=1")
        assert ask("cmd=get_my_kvsname") == f"cmd=my_kvsname rc=0 kvsname={step}"
        for turn in range(3):
            ask(f"cmd=put kvsname={step} key=k{rank} value=turn{turn}={rank}")
            assert ask("cmd=barrier_in") == "cmd=barrier_out rc=0"
            for other in range(size):
                value = ask(f"cmd=get kvsname={step} key=k{other}")
                assert value == f"cmd=get_result rc=0 value=turn{turn}={other}", value
            ask("cmd=barrier_in")
        assert ask("cmd=finalize") == "cmd=finalize_ack rc=0"
        print("rank", rank, "of", size)
        """), env=environment).ok()
    assert sorted(done.lines) == [f"rank {r} of 8" for r in range(8)]


def test_the_mapping_tells_where_the_ranks_are(cluster, client):
    body = client("""\
        ask("cmd=init pmi_version=1 pmi_subversion=1")
        answer = ask(f"cmd=get kvsname={step} key=PMI_process_mapping")
        ask("cmd=barrier_in")
        if rank == 0:
            print(answer.split("value=")[1])
        """)
    for words, mapping in ((["-N2", "-n4", "--ntasks-per-node=2"], "(vector,(0,2,2))"),
                           (["-N3", "-n3"], "(vector,(0,3,1))")):
        assert srun(cluster, "--mpi=pmi2", *words, *body).ok().lines == [mapping]


def test_pmi2_is_spoken_to_who_asks_for_it(cluster, client):
    done = srun(cluster, "--mpi=pmi2", "-N2", "-n3", *client("""\
        assert ask("cmd=init pmi_version=2 pmi_subversion=0") == "cmd=response_to_init rc=0 pmi_version=2 pmi_subversion=0"
        hello = ask2(f"cmd=fullinit;pmijobid={step};pmirank={rank};threaded=FALSE;")
        assert f"rank={rank};size={size};" in hello, hello
        assert ask2("cmd=info-getjobattr;key=universeSize;").endswith(f"found=TRUE;value={size};")
        assert ask2(f"cmd=kvs-put;key=k{rank};value=v{rank};") == "cmd=kvs-put-response;rc=0;"
        assert ask2("cmd=kvs-fence;") == "cmd=kvs-fence-response;rc=0;"
        value = ask2(f"cmd=kvs-get;jobid={step};srcid=-1;key=k{(rank + 1) % size};")
        assert value.endswith(f"found=TRUE;value=v{(rank + 1) % size};"), value
        assert ask2("cmd=finalize;") == "cmd=finalize-response;rc=0;"
        print("done")
        """)).ok()
    assert done.lines == ["done"] * 3


def test_unread_input_does_not_keep_tasks_from_meeting(cluster, client):
    """The tasks read their input only after the barrier, and there is more of it than any buffer takes."""
    done = srun(cluster, "--mpi=pmi2", "-N2", "-n2", *client("""\
        ask("cmd=init pmi_version=1 pmi_subversion=1")
        ask("cmd=barrier_in")
        print(len(sys.stdin.read()))
        """), input="x" * 8_000_000).ok()
    assert done.lines == ["8000000"] * 2


def test_an_abort_of_one_task_ends_all(cluster, client):
    done = srun(cluster, "--mpi=pmi2", "-N2", "-n3", *client("""\
        ask("cmd=init pmi_version=1 pmi_subversion=1")
        if rank == 1:
            os.write(fd, b"cmd=abort exitcode=3\\n")
        ask("cmd=barrier_in")
        """))
    assert done.code != 0
    assert "CANCELLED AT" in done.err


@pytest.mark.ours
def test_spawning_is_refused_clearly(cluster, client):
    done = srun(cluster, "--mpi=pmi2", "-n1", *client("""\
        ask("cmd=init pmi_version=1 pmi_subversion=1")
        print(ask("mcmd=spawn\\nnprocs=1\\nexecname=/bin/true\\nendcmd"))
        """)).ok()
    assert done.lines == ["cmd=spawn_result rc=1 errmsg=spawn_not_supported"]
    assert "error: PMI: spawning processes is not supported\n" in done.err


def test_a_step_inside_a_step_is_of_the_same_kind(cluster):
    done = srun(cluster, "--mpi=pmi2", "-n1", "sh", "-c", "echo $SLURM_MPI_TYPE").ok()
    assert done.lines == ["pmi2"]
    assert srun(cluster, "-n1", "sh", "-c", "echo /$SLURM_MPI_TYPE/").ok().lines == ["//"]


def test_the_configuration_has_a_default():
    cluster = muster.Cluster(nodes=1, conf="MpiDefault=pmi2\n").up()
    try:
        assert srun(cluster, "-n1", "sh", "-c", "echo $PMI_SIZE").ok().lines == ["1"]
        assert srun(cluster, "--mpi=none", "-n1", "sh", "-c", "echo /$PMI_SIZE/").ok().lines == ["//"]
    finally:
        cluster.down()


@pytest.mark.ours
def test_a_machine_without_pmix_says_so(tmp_path):
    (tmp_path / "libpmix.so.2").touch()  # found first, and no library
    cluster = muster.Cluster(nodes=1, variables={"LD_LIBRARY_PATH": str(tmp_path)}).up()
    try:
        done = srun(cluster, "--mpi=pmix", "-n1", "true")
        assert done.code != 0
        assert "error: --mpi=pmix needs libpmix.so.2: " in done.err
        srun(cluster, "--mpi=pmi2", "-n1", "true").ok()
    finally:
        cluster.down()


def test_without_mpi_there_is_no_process_manager(cluster):
    done = srun(cluster, "--mpi=none", "-n1", "sh", "-c", "env | grep -c ^PMI_; true").ok()
    assert done.lines == ["0"]


@pytest.mark.ours
def test_pmix_gives_each_task_its_rank_and_leaves_nothing_behind(cluster):
    done = srun(cluster, "--mpi=pmix", "-N2", "-n4", "sh", "-c",
                'echo $PMIX_RANK $PMIX_NAMESPACE; test -d "$PMIX_SERVER_TMPDIR"').ok()
    ranks, names = zip(*(line.split() for line in done.lines))
    assert sorted(ranks) == ["0", "1", "2", "3"]
    assert len(set(names)) == 1
    assert not list(cluster.directory.rglob("pmix.*"))


@pytest.mark.as_root
@pytest.mark.ours
def test_no_user_puts_files_where_the_pmix_server_has_its_own(cluster, alice):
    done = srun(cluster, "--mpi=pmix", "-n1", "sh", "-c",
                'cd "$PMIX_SERVER_TMPDIR"; stat -c "%U %a" .; touch mine', user=alice)
    assert done.out == "root 711\n"
    assert done.code == 1 and "Permission denied" in done.err
