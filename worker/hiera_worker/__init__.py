"""Runs beside the accelerator: loads, traces, builds, judges. Standard library and torch only."""
__version__ = "0.1.0"
