"""#SBATCH lines, SBATCH_* variables and the command line: what is read, and what wins."""
import re


def test_directives_are_read_up_to_the_first_command(cluster):
    script = cluster.script("job.sh", """\
# a comment

#SBATCH --job-name="two words"   # trailing comment
##SBATCH --time=99
#SBATCH -t 7 --mem=100
 #SBATCH --comment=indented
#SBATCH --comment='single quoted'
true
#SBATCH --partition=standard
""")
    job = cluster.sbatch("-H", script, memory=None)
    text = cluster.run("scontrol", "show", "job", job).out
    assert re.search(r"JobName=two words\n", text)
    assert re.search(r"Comment=single quoted", text)
    assert "TimeLimit=00:07:00" in text
    assert "Partition=batch" in text


def test_the_command_line_beats_variables_and_those_beat_directives(cluster):
    script = cluster.script("job.sh", "#SBATCH -t 3 -J fromscript\n#SBATCH --partition=standard\ntrue\n")
    variables = {"SBATCH_TIMELIMIT": "4", "SBATCH_JOB_NAME": "fromenv", "SBATCH_PARTITION": "short"}

    def shown(job):
        record = cluster.job(job)
        return record["TimeLimit"], record["JobName"], record["Partition"]

    assert shown(cluster.sbatch("-H", script)) == ("00:03:00", "fromscript", "standard")
    assert shown(cluster.sbatch("-H", script, env=variables)) == ("00:04:00", "fromenv", "short")
    job = cluster.sbatch("-H", "-t", "5", "-J", "cli", "-p", "batch", script, env=variables)
    assert shown(job) == ("00:05:00", "cli", "batch")


def test_time_limits_are_read_in_all_forms(cluster):
    forms = {"90": "01:30:00", "1:30": "00:02:00", "2:00:00": "02:00:00", "1-12": "1-12:00:00",
             "1-02:30": "1-02:30:00", "0": "UNLIMITED", "UNLIMITED": "UNLIMITED"}
    jobs = {cluster.sbatch("-H", "-t", form, "--wrap", "true"): limit for form, limit in forms.items()}
    for job, limit in jobs.items():
        assert cluster.job(job)["TimeLimit"] == limit


def test_memory_is_read_with_its_units(cluster):
    units = {"1G": "1G", "512MB": "512M", "2048K": "2M", "1GB": "1G", "300": "300M"}
    jobs = {cluster.sbatch("-H", f"--mem={unit}", "--wrap", "true"): shown for unit, shown in units.items()}
    for job, shown in jobs.items():
        assert cluster.job(job)["MinMemoryNode"] == shown


def test_options_that_only_inform_are_accepted_and_shown(cluster):
    job = cluster.sbatch("-H", "--wckey=submitit", "--comment=note", "--mail-type=END", "--mail-user=a@b",
                         "--time-min=1", "-t", "10", "--nice=5", "--wrap", "true")
    record = cluster.job(job)
    assert record["Comment"] == "note"
    assert record["TimeMin"] == "00:01:00"
    assert record["Nice"] == "5"


def test_fewer_tasks_than_nodes_lowers_the_node_count_with_a_warning(cluster):
    done = cluster.run("sbatch", "-H", "--parsable", "-N4", "-n1", "--wrap", "true").ok()
    assert done.err == "sbatch: Warning: can't run 1 processes on 4 nodes, setting nnodes to 1\n"
    assert cluster.job(done.out.strip())["NumNodes"] == "1-1"
