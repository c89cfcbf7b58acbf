"""The budget, the float64 oracle and the ELF reader, each alone."""
import math
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import torch

from hiera_worker.evaluator import elf, numerics, oracle, timing


def budget_of(exact, reference, longest=1):
    return numerics.make_budget(exact, reference, numerics.UNIT[reference.dtype], longest)


class Budget(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.exact = torch.randn(200, 300, dtype=torch.float64)
        self.reference = self.exact.float()

    def share(self, found, exact=None, reference=None, longest=1):
        exact = self.exact if exact is None else exact
        reference = self.reference if reference is None else reference
        return numerics.compare(found, exact, budget_of(exact, reference, longest)).share

    def test_the_reference_itself_is_within(self):
        self.assertLessEqual(self.share(self.reference), 0.26)

    def test_the_formula(self):
        budget = budget_of(self.exact, self.exact.float(), longest=900)
        rms = float(self.exact.square().mean().sqrt())
        self.assertAlmostEqual(budget.rms[-1], 4 * 2.0**-24 * 10 * rms, delta=1e-6 * rms)
        self.assertAlmostEqual(budget.most[-1], 4 * 2.0**-24 * 10 * float(self.exact.abs().max()), delta=1e-9)

    def test_one_wrong_element_among_many_is_over(self):
        found = self.reference.clone()
        found[17, 5] += 1e-3
        excess = numerics.compare(found, self.exact, budget_of(self.exact, self.reference))
        self.assertGreater(excess.share, 1)
        self.assertEqual(excess.place, 17 * 300 + 5)

    def test_nan_and_infinity_fail(self):
        for value in (math.nan, math.inf, -math.inf):
            found = self.reference.clone()
            found[0, 0] = value
            self.assertEqual(self.share(found), math.inf)

    def test_an_overflow_in_the_outputs_own_dtype_is_right(self):
        exact = torch.tensor([1.0, 1e6, -1e6], dtype=torch.float64)
        found = exact.half()
        self.assertLessEqual(self.share(found, exact, torch.tensor([1.0, 0, 0]).half()), 1)
        self.assertEqual(self.share(-found, exact, torch.tensor([1.0, 0, 0]).half()), math.inf)

    def test_small_values_have_a_band_of_their_own(self):
        exact = torch.cat([torch.ones(1000), torch.full((1000,), 1e-5)]).double()
        found = exact.float()
        found[1000:] += 1e-8  # far below the rounding of 1, a thousandth of 1e-5
        self.assertGreater(self.share(found, exact, exact.float()), 1)

    def test_chunks_cover_everything(self):
        exact = torch.zeros(numerics.CHUNK * 2 + 3, dtype=torch.float64) + 1
        found = exact.float()
        found[-1] = 2
        excess = numerics.compare(found, exact, budget_of(exact, exact.float()))
        self.assertEqual((excess.share > 1, excess.place), (True, numerics.CHUNK * 2 + 2))

    def test_integers_are_exact(self):
        a = torch.tensor([1, 2, 3])
        self.assertEqual(numerics.exactly(a, [a.clone()]).share, 0)
        self.assertEqual(numerics.exactly(a, [torch.tensor([1, 2, 4]), torch.tensor([1, 2, 3])]).share, 0)
        self.assertEqual(numerics.exactly(a, [torch.tensor([1, 2, 4])]).place, 2)


class Oracle(unittest.TestCase):
    def run_float64(self, function, *tensors):
        with torch.no_grad(), oracle.float64():
            return function(*[oracle.promoted(t) for t in tensors])

    def test_it_computes_in_float64(self):
        x = torch.rand(64, 64)
        self.assertTrue(torch.equal(self.run_float64(lambda a: a @ a, x), x.double() @ x.double()))

    def test_casts_and_new_tensors_are_promoted(self):
        x = torch.rand(100)
        for function in (
            lambda a: a.to(torch.float32) + 0.1,
            lambda a: a.half().float() + torch.full((1,), 0.1),
            lambda a: a + torch.tensor(0.1, dtype=torch.float32) * 0 + torch.full((100,), 0.1, dtype=torch.float32),
        ):
            result = self.run_float64(function, x)
            self.assertEqual(result.dtype, torch.float64)
            self.assertLess(float((result - x.double() - 0.1).abs().max()), 1e-7 if result is None else 3e-9)

    def test_random_numbers_are_those_of_the_original_dtype(self):
        torch.manual_seed(3)
        want = torch.rand(50)
        torch.manual_seed(3)
        self.assertTrue(torch.equal(self.run_float64(lambda: torch.rand(50)), want.double()))

    def test_integers_stay(self):
        self.assertEqual(self.run_float64(lambda a: (a > 0).sum(), torch.randn(5)).dtype, torch.int64)

    def test_modules_with_state_elsewhere(self):
        lstm = torch.nn.LSTM(8, 16).double()
        x = torch.randn(5, 2, 8)
        self.assertEqual(self.run_float64(lambda a: lstm(a)[0], x).dtype, torch.float64)

    def test_the_longest_accumulation(self):
        for function, shapes, longest in [
            (lambda a, b: a @ b, [(4, 700), (700, 3)], 700),
            (lambda a: a.sum(), [(30, 40)], 1200),
            (lambda a: torch.softmax(a, 1), [(3, 500)], 500),
            (lambda a, w: torch.nn.functional.conv2d(a, w), [(1, 5, 9, 9), (2, 5, 3, 3)], 45),
            (lambda a: torch.nn.functional.layer_norm(a, (77,)), [(3, 77)], 77),
            (lambda a: a * 2, [(9, 9)], 1),
        ]:
            watch = oracle.Accumulations()
            with torch.no_grad(), watch:
                function(*[torch.randn(shape) for shape in shapes])
            self.assertEqual(watch.longest, longest)


class Elf(unittest.TestCase):
    def test_reads_torchs_own_library(self):
        found = elf.read(torch._C.__file__)
        self.assertTrue(any(name.startswith("libtorch_python") for name in found.needed), found.needed)

    def test_refuses_what_is_no_object(self):
        with self.assertRaises(ValueError):
            elf.read(__file__)


class Intervals(unittest.TestCase):
    def test_order_statistics(self):
        result = timing.Result(1.0, 1.0, [float(n) for n in range(1, 16)], [1.0] * 15, True)
        # binomial(15, 1/2): P(X <= 3) = 0.0176, so the 4th and the 12th
        self.assertEqual(result.interval(), (8.0, 4.0, 12.0))
        self.assertEqual(timing.Result(1.0, 1.0, [1.0, 2.0, 3.0, 4.0, 5.0], [1.0] * 5, True).interval(), (3.0, 1.0, 5.0))


if __name__ == "__main__":
    unittest.main()
