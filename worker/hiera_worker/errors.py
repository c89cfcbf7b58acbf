"""Failures that travel to the other side as one line: what happened, where, what to do."""


class WorkerError(Exception):
    kind = "infrastructure"

    def __init__(self, message, where=None, todo=None):
        super().__init__(message, where, todo)
        self.message, self.where, self.todo = message, where, todo

    def __str__(self):
        return self.message

    def as_reply(self):
        reply = {"kind": self.kind, "message": self.message}
        for name in ("where", "todo"):
            if getattr(self, name) is not None:
                reply[name] = getattr(self, name)
        return reply


class ProblemInvalid(WorkerError):
    """The user's reference cannot be used; never a candidate's fault."""

    kind = "problem-invalid"


class Infrastructure(WorkerError):
    """The machine or its set-up is at fault; trying again may help."""


class Usage(WorkerError):
    """The request itself makes no sense here."""

    kind = "usage"
