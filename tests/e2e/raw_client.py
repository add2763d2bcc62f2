"""A hand-made client of slurmctld and slurmd, for what the shipped commands would never send.

Messages are protobuf's wire format: field(number, value) writes one field, message(...) joins several,
decode(bytes) reads one level. A RequestFrame is {1: id, 2: {N: request}} with N from REQUEST below, which
follows the order of wire::Request; an answer is a ReplyFrame {1: id, 2: more follow, 3: {N: answer}}.
"""
import os
import pwd
import re
import socket
import struct
from contextlib import contextmanager
from pathlib import Path

# Places in wire::Request (src/wire/requests.h), counted from 1.
REQUEST = {name: place for place, name in enumerate(
    "Ping Submit Jobs Nodes Partitions Config Cancel JobAction Update Reconfigure Shutdown Debug WaitJob Step Release "
    "Accounting BatchScript Reservations AttachStep Priorities Broadcast Topology Shares Explain ClaimNode Accounts "
    "Statistics SetTrigger ClearTriggers Triggers Limits Budget".split(), 1)}
# Places in wire::Answer (src/wire/replies.h).
ANSWER = {name: place for place, name in enumerate(
    "Error Done Ping Submit Jobs Nodes Partitions Config Cancel Step Accounting BatchScript Reservations Priorities "
    "Broadcast Topology Shares Explain ClaimNode Notice Accounts Statistics Triggers Limits Budget".split(), 1)}

# Field numbers of a JobRequest (src/model/job/job_spec.h): JOB["name"].
JOB = {name: int(number)
       for part in re.findall(r"struct Job(?:Own|Spec) \{.*?\n\};\n",
                              (Path(__file__).resolve().parents[2] / "src/model/job/job_spec.h").read_text(), re.S)
       for number, name in re.findall(r"v\((\d+), (\w+)\);", part)}


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def zigzag(n):
    """The encoding of signed numbers, times and durations."""
    return (n << 1) ^ (n >> 63)


def field(number, value):
    """One field: a number, a text or bytes (also of a nested message)."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(*fields):
    return b"".join(field(number, value) for number, value in fields)


def frame(payload):
    return struct.pack(">I", len(payload)) + payload


HELLO = frame(field(1, 1))


def request(name, body=b"", number=1):
    return frame(field(1, number) + field(2, field(REQUEST[name], body)))


def decode(data):
    """The fields of one level: {number: [values]}."""
    found, at = {}, 0

    def read_varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = read_varint()
        if key & 7 == 0:
            value = read_varint()
        elif key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        elif key & 7 == 2:
            size = read_varint()
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {key & 7}")
        found.setdefault(key >> 3, []).append(value)
    return found


@contextmanager
def acting_as(user):
    """What this thread opens and connects meanwhile belongs to that user (root only)."""
    if user is None:
        yield
        return
    record = pwd.getpwnam(user)
    groups, gid = os.getgroups(), os.getegid()
    os.setgroups([record.pw_gid])
    os.setegid(record.pw_gid)
    os.seteuid(record.pw_uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(gid)
        os.setgroups(groups)


def controller_socket(cluster):
    return cluster.directory / "run/slurmctld.sock"


def node_socket(cluster, node):
    return cluster.directory / f"run/slurmd.{node}.sock"


class RawClient:
    """A greeted connection over a Unix socket; the server sees the uid of `user`."""

    def __init__(self, path, user=None, timeout=60, greet=True):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        with acting_as(user):
            self.socket.connect(str(path))
        if greet:
            self.socket.sendall(HELLO)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def read_frame(self):
        """The next frame's payload; None if the server has closed the connection."""
        header = self._read(4)
        return header and self._read(struct.unpack(">I", header)[0])

    def _read(self, size):
        data = b""
        while len(data) < size:
            try:
                part = self.socket.recv(min(size - len(data), 1 << 20))
            except ConnectionResetError:
                return None
            if not part:
                return None
            data += part
        return data

    def read_hello(self):
        return self.read_frame()

    def ask(self, name, body=b"", number=1):
        """The last answer of a stream as (name, fields); None if the server has closed the connection instead."""
        try:
            self.send(request(name, body, number))
        except (BrokenPipeError, ConnectionResetError):
            return None
        while (reply := self.read_frame()) is not None:
            fields = decode(reply)
            if fields.get(1) == [number] and 3 in fields and not fields.get(2, [0])[0]:
                (place, (body,)), = decode(fields[3][0]).items()
                return next(n for n, p in ANSWER.items() if p == place), decode(body)
        return None
