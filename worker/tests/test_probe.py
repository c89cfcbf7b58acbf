"""Facts of this machine: found here, so only their sense can be checked."""
import os
import unittest

import support  # noqa: F401
import torch

from hiera_worker.probe import find_compiler, find_libraries, last_level_cache, physical_cores, probe


class Facts(unittest.TestCase):
    def test_they_make_sense(self):
        facts = probe({"threads": 1}, lambda *_: None)
        self.assertEqual((facts["kind"], facts["threads"], facts["torch"]), ("cpu", 1, torch.__version__))
        self.assertTrue(1e8 < facts["rates"]["copy"] < 1e13, facts["rates"])
        for rates in (facts["rates"]["matrix"], facts["rates"]["vector"]):
            self.assertTrue(1e8 < rates["float64"] and 1e8 < rates["float32"] < 1e15, rates)
        self.assertGreater(facts["memoryBytes"], 1 << 28)

    def test_threads_default_to_the_physical_cores_it_may_use(self):
        self.assertTrue(1 <= physical_cores() <= len(os.sched_getaffinity(0)))

    def test_the_cache_is_of_a_cache_s_size(self):
        self.assertTrue(1 << 18 <= last_level_cache() <= 1 << 32)

    def test_the_compiler_of_the_environment_comes_first(self):
        found = find_compiler()
        if found is None:
            self.skipTest("no C++ compiler here")
        self.assertRegex(found["version"], r"^\d")

    def test_a_library_found_can_be_compiled_and_linked_against(self):
        compiler = find_compiler()
        if compiler is None:
            self.skipTest("no C++ compiler here")
        found = find_libraries(compiler)
        for name, library in found.items():
            self.assertTrue(library["version"] and library["flags"], name)
        self.assertEqual(find_libraries(None), {})
