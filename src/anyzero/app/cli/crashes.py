"""Commands run a game's own compiled code, which may crash the process: who asked for it gets a
sentence.
"""

import os
import signal
import threading

CRASHES = ("SIGSEGV", "SIGABRT", "SIGFPE", "SIGILL", "SIGBUS")  # signals that end a faulty process


def watch_over(cause: str) -> None:
    """Continue in a child of this process, which only waits and prints a sentence if the child
    crashes.

    For the main thread, before there are others. If the system does not support it, continue in
    this process.
    """
    if not hasattr(os, "fork") or not hasattr(signal, "sigwaitinfo"):
        return
    heard = (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    end, lifeline = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(lifeline)
        threading.Thread(
            target=lambda: (os.read(end, 1), os._exit(1)), daemon=True
        ).start()  # if the watcher is killed
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)
        return
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        received = signal.sigwaitinfo(heard)
        if (
            received.si_signo != signal.SIGCHLD and received.si_code == 0
        ):  # of a process; the child hears the terminal itself
            os.kill(child, received.si_signo)
    code = os.waitstatus_to_exitcode(ended[1])
    name = "" if code >= 0 else signal.Signals(-code).name
    if name in CRASHES:
        os.write(2, f"anyzero: the process died of {name}: {cause}\n".encode(errors="replace"))
    os._exit(code if code >= 0 else 2 if name in CRASHES else 128 - code)
