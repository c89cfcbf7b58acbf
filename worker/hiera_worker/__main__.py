"""`python -m hiera_worker`: one worker on standard input and output."""
from .wire import take_standard_descriptors

if __name__ == "__main__":
    wire = take_standard_descriptors()
    from .server import serve

    serve(wire)
