# muster.py: lets a program in a job learn that the job is about to be stopped, and ask for more
# time or to be requeued. One file without dependencies: copy it beside your program. Outside of a
# job, and on other clusters, nothing ever stops the program, so that the same code runs everywhere.
"""Stop notices of Muster.

    import muster

    for step in range(first, last):
        train(step)
        if muster.should_stop():
            save(step)
            muster.requeue_me()  # ends this process
"""
import json
import os
import socket
import sys
import threading
import time

VARIABLE = "MUSTER_STOP_NOTICE"


class Refused(Exception):
    """The cluster did not do what was asked for; the text says why."""


class Notice:
    """Why the job is stopped, and when.

    reason: "preempted", "time_limit", "piece_end" (--chunk), "cancelled", "requeued", "shutdown",
    "node_failed", "deadline", or "node_drain" (the job may go on, but its node gets no new ones).
    signal: the name of the signal that comes with the notice, or None.
    deadline: seconds since 1970, when the processes are ended at the latest; None = not at all.
    requeue: the job will run again. may_extend: how many seconds extend_grace() still gives.
    """

    def __init__(self, values):
        self.reason = values.get("reason", "")
        self.signal = values.get("signal")
        self.deadline = values.get("deadline")
        self.requeue = bool(values.get("requeue"))
        self.may_extend = values.get("may_extend", 0)

    def __repr__(self):
        return f"Notice({self.reason!r}, deadline={self.deadline!r}, requeue={self.requeue!r})"


_seen = (None, None)  # what identified the file when it was read, and the notice


def notice():
    """The current notice, or None. Costs one stat(), so it may be called after every step."""
    global _seen
    path = os.environ.get(VARIABLE)
    if not path:
        return None
    try:
        status = os.stat(path)
        mark = (status.st_ino, status.st_mtime_ns)
        if mark != _seen[0]:
            with open(path, encoding="utf-8") as file:
                _seen = (mark, Notice(json.load(file)))
    except FileNotFoundError:
        _seen = (None, None)
    except (OSError, ValueError) as error:
        print(f"muster: {path}: {error}", file=sys.stderr)
        return None
    return _seen[1]


def should_stop():
    """Whether the job is about to be stopped, so that it is time to save."""
    now = notice()
    return now is not None and now.deadline is not None


def seconds_left():
    """Seconds until the job is stopped, at least 0; None if nobody is about to stop it."""
    now = notice()
    if now is None or now.deadline is None:
        return None
    return max(0.0, now.deadline - time.time())


def _ask(words):
    path = os.environ.get(VARIABLE)
    if not path:
        raise Refused("this process belongs to no job")
    try:
        directory = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as node:
                node.connect(f"/proc/self/fd/{directory}/socket")
                node.sendall((words + "\n").encode())
                answer = b"".join(iter(lambda: node.recv(4096), b""))
        finally:
            os.close(directory)
    except OSError as error:
        raise Refused(f"slurmd of this node cannot be reached: {error}") from None
    if not answer:
        raise Refused("slurmd of this node went away before it answered")
    values = json.loads(answer)
    if not values.get("ok"):
        raise Refused(values.get("error", "refused"))
    return values


def extend_grace(seconds):
    """Asks for more time before the job is stopped; returns how many seconds it got."""
    return _ask(f"extend-grace {int(seconds)}")["granted"]


def requeue_me():
    """Has the job requeued, and ends this process; the others of the job get SIGTERM."""
    _ask("requeue-me")
    sys.stdout.flush()
    sys.stderr.flush()
    sys.exit(0)


def on_stop(function):
    """Calls function(notice) once, in a thread of its own, when the job is about to be stopped."""

    def watch():
        while True:
            if should_stop():
                function(notice())
                return
            try:
                _ask("wait")
            except Refused:
                pass  # slurmd is restarted, or too many wait there: the file says it too
            if not should_stop():
                time.sleep(1)

    thread = threading.Thread(target=watch, name="muster-on-stop", daemon=True)
    if os.environ.get(VARIABLE):
        thread.start()
    return function


class stopping:
    """for step in range(...):
           with muster.stopping(save, step):
               train(step)

    After the block, if the job is about to be stopped: calls save(step), has the job requeued and
    ends this process. If the job may not be requeued, the program ends with code 1 instead.
    """

    def __init__(self, save, *arguments):
        self.save, self.arguments = save, arguments

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None or not should_stop():
            return False
        self.save(*self.arguments)
        try:
            requeue_me()
        except Refused as why:
            print(f"muster: saved, but not requeued: {why}", file=sys.stderr)
            sys.exit(1)
