"""SchedulerParameters: words that tune are taken and shown; values that cannot be are refused."""
import pytest

WORDS = ("batch_sched_delay=0,sched_min_interval=0,bf_interval=2,bf_window=4320,bf_resolution=60,bf_max_job_user=20,"
         "default_queue_depth=50,defer,max_rpc_cnt=0,bf_continue,partition_job_depth=0,sched_max_job_start=100")
CLUSTER = dict(nodes=1, conf=f"SchedulerParameters={WORDS}\n")


def test_they_are_shown_as_they_were_given(cluster):
    shown = cluster.run("scontrol", "show", "config").ok().out
    assert f"SchedulerParameters     = {WORDS}\n" in shown
    cluster.wait_end(cluster.sbatch("-o", "/dev/null", "--wrap", "true"))


@pytest.mark.ours
def test_a_value_that_cannot_be_changes_nothing(cluster):
    text = cluster.config_file.read_text()
    cluster.config_file.write_text(text.replace("bf_window=4320", "bf_window=soon"))
    refused = cluster.run("scontrol", "reconfigure")
    assert refused.code == 1 and "bf_window=soon: expected bf_window=a number from 1" in refused.err
    cluster.config_file.write_text(text)
    cluster.run("scontrol", "reconfigure").ok()
