"""What the programs of child processes share: private pipes, an ear for the parent, a clock of their own."""

from __future__ import annotations

import os
import resource
import signal
from queue import SimpleQueue
from typing import BinaryIO

from brain_dagster.parse.frames import PREFIX, Frame, decode, lengths

GRACE_S = 5  # the parent's clock comes first; this one is for children whose parent died


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take stdin and stdout for the protocol and leave /dev/null in their place for whoever prints."""
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")


def limit_memory(memory_bytes: int) -> None:
    """Cap the address space of this process, and leave no core file with a document in it behind."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def listen(requests: BinaryIO, incoming: SimpleQueue[Frame]) -> None:
    """Pass requests on; when the parent is gone, so is this process, whatever it is doing."""
    while prefix := requests.read(PREFIX.size):
        header, body = lengths(prefix)
        incoming.put(decode(requests.read(header), requests.read(body)))
    os._exit(0)


def reply(replies: BinaryIO, frame: Frame) -> None:
    """Send a frame; one that is fatal is the last word of this process."""
    replies.write(frame.encode())
    replies.flush()
    if frame.fields.get("fatal"):
        os._exit(1)


def arm(seconds: float) -> None:
    """End this process by SIGALRM or SIGXCPU after that long, even inside a parser written in C."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + 1 if seconds else resource.RLIM_INFINITY
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))
