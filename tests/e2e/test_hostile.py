"""Broken or malicious peers lose their connection; the daemon and other clients are not affected."""
import os
import socket
import struct
import time

import pytest

from muster import wait_for

pytestmark = pytest.mark.ours
CLUSTER = dict(nodes=1)


def ports(cluster):
    return cluster.ports.base, cluster.ports.base + 2  # slurmctld's and n1's


def answers_quickly(cluster):
    begin = time.monotonic()
    cluster.run("squeue").ok()
    return time.monotonic() - begin < 5


@pytest.mark.parametrize("payload", [
    os.urandom(4096), b"\x00" * 64, b"\xff" * 64, struct.pack(">I", 0x7FFFFFFF) + b"x" * 100,
    struct.pack("<I", 0x7FFFFFFF) + b"x" * 100, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x00\x00\x00\x10half",
], ids=["random", "zeros", "ones", "oversize", "oversize little endian", "http", "half a frame"])
def test_broken_bytes_close_the_connection(cluster, payload):
    before = cluster.controller_pid
    for port in ports(cluster):
        with socket.create_connection(("127.0.0.1", port), timeout=10) as peer:
            peer.sendall(payload)
            peer.shutdown(socket.SHUT_WR)
            peer.settimeout(60)
            try:
                while peer.recv(65536):
                    pass
            except ConnectionResetError:
                pass
    assert cluster.controller_pid == before
    assert answers_quickly(cluster)


def test_idle_and_slow_connections_do_not_hold_up_others(cluster):
    peers = [socket.create_connection(("127.0.0.1", port), timeout=10) for port in ports(cluster) for _ in range(300)]
    try:
        for peer in peers[::3]:
            peer.sendall(b"\x00")
        assert answers_quickly(cluster)
        assert cluster.wait_end(cluster.sbatch("--wrap", "true"))["JobState"] == "COMPLETED"
    finally:
        for peer in peers:
            peer.close()
    wait_for(lambda: answers_quickly(cluster), "answers")
