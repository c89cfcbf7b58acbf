"""What the core's tests share. `python -m unittest discover -s worker/tests` runs them all under the torch of that Python."""
import os
import sys

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, PACKAGE)

OPTIONS = {"mode": "as-is", "precision": "strict", "fixedRng": False, "tolerance": "budget", "threads": 1}

PROBLEM = """import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self{parameters}):
        super().__init__()
        {init}
    def forward(self{arguments}):
        {forward}

def get_inputs():
    return {inputs}

def get_init_inputs():
    return {given}
"""


def problem(forward, inputs="[torch.rand(4, 6)]", init="pass", arguments=", x", parameters="", given="[]"):
    """A problem file's text; bodies of several lines are indented by eight."""
    return PROBLEM.format(forward=forward, inputs=inputs, init=init, arguments=arguments, parameters=parameters, given=given)


def trace(source, **options):
    from hiera_worker.trace import trace as run

    return run({"source": source, "name": "problem.py", "options": dict(OPTIONS, **options)}, lambda *_: None)
