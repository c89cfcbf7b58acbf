"""The recorded graph, on whatever torch runs this."""
import unittest

import torch
from support import problem, trace


def operators(traced):
    return [node["op"] for node in traced["graph"]["nodes"]]


class Graph(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print("torch", torch.__version__)

    def check(self, traced):
        """Single assignment; every value is defined before it is read, and so is a view's base."""
        graph = traced["graph"]
        defined = {entry["id"] for entry in graph["inputs"]}
        for node in graph["nodes"]:
            self.assertLessEqual(set(node["positional"]), set(node["args"]))
            for arg in node["args"].values():
                for name in [arg["value"]] if "value" in arg else [n for n in arg.get("values", []) if n]:
                    self.assertIn(name, defined)
            for name in node["outputs"]:
                if name is not None and name not in node["mutates"]:
                    self.assertNotIn(name, defined)
                    defined.add(name)
                    self.assertIn(graph["values"][name].get("view", {"base": name})["base"], defined)
        self.assertLessEqual({output["id"] for output in traced["outputs"]}, defined)
        return traced

    def test_arguments_go_by_schema_name_with_defaults(self):
        traced = self.check(trace(problem("return torch.nn.functional.gelu(x + 1)")))
        add, gelu = traced["graph"]["nodes"]
        self.assertEqual(add["args"], {"self": {"value": "x0"}, "other": {"literal": 1}, "alpha": {"literal": 1}})
        self.assertEqual((add["target"], add["positional"]), ("aten.add.Tensor", ["self", "other"]))
        self.assertEqual(gelu["args"]["approximate"], {"literal": "none"})
        self.assertEqual(traced["graph"]["output"], {"tensor": gelu["outputs"][0]})

    def test_in_place_on_an_intermediate_is_renamed(self):
        traced = self.check(trace(problem("return (x + 1).relu_().mul_(2)")))
        self.assertEqual([node["target"] for node in traced["graph"]["nodes"]], ["aten.add.Tensor", "aten.relu.default", "aten.mul.Tensor"])
        self.assertNotIn("opaque", traced["graph"])

    def test_in_place_on_a_view_whose_base_is_gone_is_renamed(self):
        self.assertNotIn("opaque", self.check(trace(problem("return (x + 1).view(-1).relu_()")))["graph"])

    def test_a_write_that_another_tensor_sees_makes_the_graph_opaque(self):
        slices = "y = x.clone()\n        y[:, 1:-1] = 0\n        return y"
        seen = "y = x + 1\n        z = y.view(-1)\n        y.relu_()\n        return z"
        for body in (slices, seen):
            self.assertIn("changed through another", trace(problem(body))["graph"]["opaque"])

    def test_an_input_written_is_named(self):
        traced = trace(problem("return x.relu_()"))
        self.assertEqual(traced["mutatedInputs"], ["x"])
        self.assertIn("writes an input", traced["graph"]["opaque"])

    def test_what_depends_on_contents_is_opaque(self):
        for body in ("return x * x.sum().item()", "return x[x > 0.5]", "return x + 1 if x.sum() > 0 else x"):
            self.assertIn("contents", trace(problem(body)).get("graph")["opaque"])

    def test_views_are_flattened_to_their_base(self):
        traced = self.check(trace(problem("return x[1:].t()[2:] + 0")))
        view = traced["graph"]["values"][traced["graph"]["nodes"][-1]["args"]["self"]["value"]]
        self.assertEqual((view["view"], view["shape"], view["strides"]), ({"base": "x0", "offset": 8}, [4, 3], [1, 6]))
        self.assertEqual(traced["work"]["bytes"], 2 * 4 * 12)

    def test_constants_attributes_and_plain_arguments(self):
        source = problem("return x * self.table + torch.tensor(3.0) ** power", "[torch.rand(4, 6), 2]", "self.table = torch.ones(6)", ", x, power")
        traced = self.check(trace(source))
        roles = {entry["role"]: entry for entry in traced["graph"]["inputs"]}
        self.assertEqual(roles["attribute"]["name"], "table")
        self.assertEqual(roles["constant"]["data"], [3.0])
        self.assertEqual(traced["inputs"][1], {"name": "power", "literal": 2})

    def test_structures_integers_and_no_inputs(self):
        traced = self.check(trace(problem("return {'pair': (x, x.sum(-1)), 'best': x.argmax(-1)}")))
        self.assertEqual([output["path"] for output in traced["outputs"]], ["['pair'][0]", "['pair'][1]", "['best']"])
        self.assertEqual(traced["outputs"][2]["dtype"], "int64")
        self.assertEqual(list(traced["structure"]["dict"]), ["pair", "best"])
        self.assertEqual(trace(problem("return torch.ones(3) + 1", "[]", arguments=""))["inputs"], [])

    def test_batch_norm_in_training_changes_its_buffers(self):
        traced = self.check(trace(problem("return self.bn(x)", init="self.bn = nn.BatchNorm1d(6)"), mode="train"))
        mutated = {entry["name"] for entry in traced["state"] if entry["mutated"]}
        self.assertEqual(mutated, {"bn.running_mean", "bn.running_var", "bn.num_batches_tracked"})
        self.assertIn("batch_norm", operators(traced))
        self.assertEqual({n["module"] for n in traced["graph"]["nodes"]}, {"bn"})
        unchanged = trace(problem("return self.bn(x)", init="self.bn = nn.BatchNorm1d(6)"), mode="eval")
        self.assertFalse(any(entry["mutated"] for entry in unchanged["state"]))

    def test_known_modules_stay_one_node(self):
        traced = self.check(trace(problem("return self.lstm(x)[0] + 1", "[torch.rand(5, 2, 6)]", "self.lstm = nn.LSTM(6, 3)")))
        self.assertEqual(operators(traced), ["module:LSTM", "add"])
        self.assertEqual(traced["graph"]["nodes"][0]["target"], "lstm")
        self.assertTrue(all(entry["usedBy"] == ["module:LSTM"] for entry in traced["state"]))
        attention = problem("return self.mha(x, x, x)[0]", "[torch.rand(5, 2, 6)]", "self.mha = nn.MultiheadAttention(6, 2)")
        self.assertEqual(operators(self.check(trace(attention))), ["module:MultiheadAttention"])

    def test_names_are_the_same_on_every_torch(self):
        body = "return torch.softmax(self.norm(self.conv(x)).flatten(1), -1).log_softmax(0)"
        traced = self.check(trace(problem(body, "[torch.rand(2, 3, 8, 8)]", "self.conv, self.norm = nn.Conv2d(3, 4, 3), nn.GroupNorm(2, 4)")))
        self.assertEqual(operators(traced), ["convolution", "group_norm", "view", "softmax", "log_softmax"])


class Work(unittest.TestCase):
    def test_bytes_and_operations_by_hand(self):
        linear = trace(problem("return torch.relu(self.fc(x))", init="self.fc = nn.Linear(6, 5)"))["work"]
        self.assertEqual(linear["bytes"], 4 * (24 + 30 + 5 + 20))
        self.assertEqual((linear["operations"], linear["longestSum"]), ({"matrix": 2 * 4 * 6 * 5, "vector": 20}, 6))

    def test_convolutions(self):
        conv = trace(problem("return self.conv(x)", "[torch.rand(1, 4, 8, 8)]", "self.conv = nn.Conv2d(4, 6, 3, groups=2, bias=False)"))["work"]
        self.assertEqual((conv["operations"]["matrix"], conv["longestSum"]), (2 * 6 * 36 * 18, 18))
        up = trace(problem("return self.conv(x)", "[torch.rand(1, 4, 8, 8)]", "self.conv = nn.ConvTranspose2d(4, 6, 2, stride=2, bias=False)"))["work"]
        self.assertEqual((up["operations"]["matrix"], up["longestSum"]), (2 * 4 * 64 * 6 * 4, 16))

    def test_a_table_is_read_only_where_it_is_looked_up(self):
        work = trace(problem("return self.table(x)", "[torch.arange(3)]", "self.table = nn.Embedding(1000, 8)"))["work"]
        self.assertEqual(work["bytes"], 3 * 8 + 3 * 8 * 4 + 3 * 8 * 4)

    def test_longest_sums(self):
        for body, length in (("x.sum(0)", 4), ("x.softmax(0)", 4), ("x.cumsum(1)", 6), ("x.amax(1)", 1), ("x.mean()", 24)):
            self.assertEqual(trace(problem("return " + body))["work"]["longestSum"], length, body)

    def test_double_is_said(self):
        self.assertEqual(trace(problem("return x + 1", "[torch.rand(3).double()]"))["work"]["dtype"], "float64")
