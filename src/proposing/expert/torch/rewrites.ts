import type { Rewrite } from "./rewrite.ts";
import { isView, refusesStraightline, straightline } from "./straightline.ts";

/** The traced operators one after another: no Python between them, no module dispatch. */
export const operators: Rewrite = {
  name: "operators",
  direction: "control-flow",
  note: "the traced operators one after another: saves module dispatch, pays where calls are many and small",
  refuses: refusesStraightline,
  emit: (contract) =>
    straightline(
      contract,
      contract.graph.nodes.filter((node) => !isView(contract, node)).map((node) => ({ node })),
    ),
};

/** PyTorch's own compiler. */
export const compile: Rewrite = {
  name: "torch.compile",
  direction: "reuse",
  note: "PyTorch's compiler fuses pointwise operators and reductions",
  refuses: ({ environment }) =>
    environment.compile ? null : "the installed torch has no torch.compile, or no C++ compiler is there",
  emit: () =>
    [
      "_compiled = torch.compile(Model.forward, dynamic=False)",
      "",
      "",
      "class ModelNew(Model):",
      "    def forward(self, *inputs):",
      "        return _compiled(self, *inputs)",
    ].join("\n"),
};

/** Convolutions with the channel innermost. */
export const channelsLast: Rewrite = {
  name: "channels-last",
  direction: "memory",
  note: "convolutions with the channel innermost: vendor kernels read whole channel vectors",
  refuses: ({ graph, behaviour, interface: { inputs } }) => {
    if (!graph.nodes.some((node) => node.op === "convolution")) return "there is no convolution";
    if (behaviour.mayChange.length > 0) return "forward changes its inputs, which a change of layout would copy";
    return inputs.some(({ tensor }) => tensor?.shape.length === 4) ? null : "no input has four dimensions";
  },
  emit: () =>
    [
      "def _channels_last(value):",
      "    # outputs and 4-d inputs change layout at the border; weights follow once, a no-op from then on",
      "    return value.contiguous(memory_format=torch.channels_last) if torch.is_tensor(value) and value.dim() == 4 else value",
      "",
      "",
      "def _plain(value):",
      "    if torch.is_tensor(value):",
      "        return value.contiguous()",
      "    if isinstance(value, dict):",
      "        return {key: _plain(part) for key, part in value.items()}",
      '    if hasattr(value, "_fields"):  # a named tuple takes its items one by one',
      "        return type(value)(*map(_plain, value))",
      "    return type(value)(map(_plain, value)) if isinstance(value, (tuple, list)) else value",
      "",
      "",
      "class ModelNew(Model):",
      "    def forward(self, *inputs):",
      "        for parameter in self.parameters():",
      "            if parameter.dim() == 4 and not parameter.is_contiguous(memory_format=torch.channels_last):",
      "                parameter.data = _channels_last(parameter.data)",
      "        return _plain(super().forward(*[_channels_last(value) for value in inputs]))",
    ].join("\n"),
};
