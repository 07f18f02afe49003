"""G7: what is wrong with a training."""

from __future__ import annotations

from gradcli.diagnosis.pages.page import Page

_HEAD = """\
import torch
from torch import nn

torch.manual_seed(0)
"""

_LOOP = """\
for step in range(6):
    optimizer.zero_grad()
    model(torch.randn(32, 8)).pow(2).mean().backward()
    optimizer.step()
"""

_UNUSED = f"""{_HEAD}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.head, self.extra = nn.Linear(8, 8), nn.Linear(8, 1), nn.Linear(8, 1)

    def forward(self, x):
        h = self.stem(x).tanh()
        extra = self.extra(h)
        return self.head(h)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{_LOOP}"""

_OUTSIDE = f"""{_HEAD}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(8, 8) for _ in range(2)]
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = layer(x).tanh()
        return self.head(x)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{_LOOP}"""

_STALE = f"""{_HEAD}model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
model[2] = nn.Linear(8, 1)
{_LOOP}"""

_STALE_RIGHT = f"""{_HEAD}model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3))
model[2] = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{_LOOP}"""

_MODEL = f"""{_HEAD}model = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""
_PLAIN = f"{_MODEL}{_LOOP}"

_DEEP = f"""{_HEAD}layers = [part for _ in range(10) for part in (nn.Linear(16, 16), nn.Sigmoid())]
model = nn.Sequential(nn.Linear(8, 16), *layers, nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{_LOOP}"""

_DEEP_RIGHT = _DEEP.replace("nn.Linear(16, 16), nn.Sigmoid()", "nn.Linear(16, 16), nn.BatchNorm1d(16), nn.LeakyReLU()")

_GROWING = f"""{_HEAD}model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
{_LOOP.replace("range(6)", "range(20)")}"""

_DEAD = f"""{_HEAD}model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
with torch.no_grad():
    model[0].bias.fill_(-50.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
{_LOOP}"""

_ROOT = f"""{_HEAD}w = nn.Parameter(torch.tensor([0.0, 1.0, 4.0]))
optimizer = torch.optim.SGD([w], lr=0.01)
for step in range(3):
    optimizer.zero_grad()
    w.sqrt().sum().backward()
    optimizer.step()
"""

_SCALED = f"""{_HEAD}model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**127)
for step in range(8):
    optimizer.zero_grad()
    loss = model(torch.randn(32, 8)).pow(2).sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
"""

_TOTAL = f"""{_MODEL}total = 0
for step in range(20):
    optimizer.zero_grad()
    loss = model(torch.randn(32, 8)).pow(2).mean()
    loss.backward()
    optimizer.step()
    total += loss
"""

_CLIPPED = _SCALED.replace("2.0**127", "1024.0").replace(
    "    scaler.step", "    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n    scaler.step"
)

_LOST = f"""{_HEAD}w = nn.Parameter(torch.ones(4, dtype=torch.bfloat16))
optimizer = torch.optim.SGD([w], lr=1e-3)
for step in range(20):
    optimizer.zero_grad()
    w.sum().backward()
    optimizer.step()
"""

_FROZEN = f"""{_MODEL.replace("lr=0.1", "lr=0.1, momentum=0.9")}for step in range(6):
    optimizer.zero_grad(set_to_none=False)
    model(torch.randn(32, 8)).pow(2).mean().backward()
    optimizer.step()
    if step == 1:
        model[0].requires_grad_(False)
"""

_SOMETIMES = f"""{_HEAD}odd, even, head = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 1)
parts = nn.ModuleList([odd, even, head])
optimizer = torch.optim.SGD(parts.parameters(), lr=0.1)
for step in range(6):
    optimizer.zero_grad()
    branch = odd if step % 2 else even
    head(branch(torch.randn(32, 8)).tanh()).pow(2).mean().backward()
    optimizer.step()
"""

_WIPED = f"""{_HEAD}model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(4):
    optimizer.zero_grad()
    loss = model(torch.randn(32, 8)).mean() * (1e38 if step == 2 else 1.0)
    (loss * 1e3).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
"""

_EXAMPLE, _REPAIR = "gradcli run train.py", "gradcli run right.py"


def _files(wrong: str, right: str | None) -> dict[str, str]:
    return {"train.py": wrong} | ({"right.py": right} if right is not None else {})


PAGES = (
    Page(
        "G701",
        "A parameter never got a gradient.",
        "Its .grad stayed None in every step, so the optimizer passes over it, weight decay included. The loss does not "
        "depend on it: its layer is not called, what it gives is not used, or a detach(), a no_grad block or a "
        "reentrant checkpoint stands in between.",
        _EXAMPLE,
        "Use its output in the loss, remove the cut, or remove the layer.",
        _REPAIR,
        "find_unused_parameters (torch.nn.parallel.DistributedDataParallel)",
        _files(_UNUSED, _UNUSED.replace("return self.head(h)", "return self.head(h) + extra")),
    ),
    Page(
        "G702",
        "A parameter takes part in forward, gets a gradient, and no optimizer holds it.",
        "model.parameters() lists what is registered: attributes that are modules or parameters. A plain list of layers "
        "hides them, and a layer that is made in forward() is another one in each call. zero_grad() does not reach it "
        "either, so its gradient adds up.",
        _EXAMPLE,
        "Use nn.ModuleList, make layers in __init__(), and give the optimizer every part. To freeze a parameter, set "
        "requires_grad_(False).",
        _REPAIR,
        "torch.nn.ModuleList, Module.parameters()",
        _files(_OUTSIDE, _OUTSIDE.replace("[nn.Linear(8, 8) for _ in range(2)]", "nn.ModuleList(nn.Linear(8, 8) for _ in range(2))")),
    ),
    Page(
        "G703",
        "The optimizer holds a tensor that the model no longer uses.",
        "An optimizer remembers tensors, not names. A layer that is replaced after it was made is trained by nobody, "
        "and the old one is never reached again.",
        _EXAMPLE,
        "Change the model first and make the optimizer then, or give it the new part with add_param_group().",
        _REPAIR,
        "Optimizer.add_param_group()",
        _files(_STALE, _STALE_RIGHT),
    ),
    Page(
        "G704",
        "Gradients add up over the steps of the optimizer.",
        "backward() adds to .grad. Where nothing clears it, each step goes along the sum of all gradients so far, as if "
        "by a momentum of 1. Adding up several passes before one step is another thing, and is not meant.",
        _EXAMPLE,
        "Call optimizer.zero_grad() once for each step.",
        _REPAIR,
        "Optimizer.zero_grad()",
        _files(_PLAIN.replace("    optimizer.zero_grad()\n", ""), _PLAIN),
    ),
    Page(
        "G705",
        "Gradients become smaller from layer to layer, on the way from the loss to the input.",
        "Each layer multiplies the gradient by its weights and by the slope of its activation. Where that is below 1 "
        "everywhere, as for a sigmoid (at most 0.25), the product falls geometrically, and the first layers do not "
        "learn.",
        _EXAMPLE,
        "Use an activation of the ReLU family with weights scaled for it (kaiming_normal_), normalization layers, or "
        "residual connections.",
        _REPAIR,
        "torch.nn.init.kaiming_normal_, calculate_gain",
        _files(_DEEP, _DEEP_RIGHT),
    ),
    Page(
        "G706",
        "Gradients grow: from layer to layer on the way to the input, or from step to step.",
        "Over layers, weights are too large for the product of their factors. Over steps, the learning rate is too "
        "large: each step ends further away than it began.",
        _EXAMPLE,
        "Make the learning rate smaller, warm it up, clip the norm of the gradient, or scale the first weights.",
        _REPAIR,
        "torch.nn.utils.clip_grad_norm_",
        _files(_GROWING, _GROWING.replace("lr=2.0", "lr=0.1")),
    ),
    Page(
        "G707",
        "Units are dead: their gradient was exactly 0 whenever it was looked at.",
        "A ReLU is flat below 0. A unit that is below 0 for every sample gets no gradient, and so never comes back. A "
        "large learning rate or a bias far below 0 brings it there.",
        _EXAMPLE,
        "Use a smaller learning rate, another first bias, or an activation with a slope everywhere (LeakyReLU, GELU).",
        _REPAIR,
        "torch.nn.LeakyReLU",
        _files(_DEAD, _DEAD.replace("fill_(-50.0)", "fill_(0.1)").replace("nn.ReLU()", "nn.LeakyReLU()")),
    ),
    Page(
        "G708",
        "A gradient is NaN or infinite.",
        "One such number makes a parameter useless, and with it every number after. It is born in one operation: in "
        "forward, where its result is not finite, or in backward, where its slope is infinite (a root at 0) or 0 × inf "
        "met behind a mask.",
        _EXAMPLE,
        "Keep the operation away from that point: sqrt(x + eps), clamp before log, a safe value inside where().",
        _REPAIR,
        "torch.autograd.set_detect_anomaly",
        _files(_ROOT, _ROOT.replace("w.sqrt()", "(w + 0.1).sqrt()")),
    ),
    Page(
        "G709",
        "The gradient scaler skipped steps.",
        "Scaled gradients were not finite, so the scaler left the step out and halved its scale. A few at the beginning "
        "are how it finds its scale. All of them mean that the gradients themselves are not finite.",
        _EXAMPLE,
        "Nothing, where it is a few. A smaller init_scale saves them.",
        _REPAIR,
        "torch.amp.GradScaler",
        _files(_SCALED, _SCALED.replace("2.0**127", "1024.0")),
    ),
    Page(
        "G710",
        "A variable holds the graph of every step.",
        "A loss carries the graph that it was computed by. A sum or a list of them keeps all of these alive, and memory "
        "grows until it is full.",
        _EXAMPLE,
        "Keep the number: loss.item(), or loss.detach().",
        _REPAIR,
        "My model reports out of memory (FAQ)",
        _files(_TOTAL, _TOTAL.replace("total += loss", "total += loss.item()")),
    ),
    Page(
        "G711",
        "Gradients were clipped while they were still scaled.",
        "The scaler multiplied the loss, and so each gradient, by its scale. A limit on their norm is then that many "
        "times tighter, and changes with the scale.",
        _EXAMPLE,
        "Call scaler.unscale_(optimizer) before clipping.",
        _REPAIR,
        "Working with unscaled gradients (automatic mixed precision examples)",
        _files(_CLIPPED, _CLIPPED.replace("    nn.utils", "    scaler.unscale_(optimizer)\n    nn.utils")),
    ),
    Page(
        "G712",
        "Updates are lost to rounding.",
        "Next to 1, numbers of bfloat16 are 0.004 to 0.008 apart. A step that is less than half of that is rounded away, "
        "however often it is repeated.",
        _EXAMPLE,
        "Keep parameters in float32 and compute under autocast.",
        _REPAIR,
        "torch.autocast",
        _files(_LOST, _LOST.replace("torch.bfloat16", "torch.float32")),
    ),
    Page(
        "G713",
        "A frozen parameter still changes.",
        "requires_grad=False stops new gradients. The optimizer looks at .grad alone: a gradient of 0 or an old one is "
        "not None, so momentum and weight decay go on.",
        _EXAMPLE,
        "Set .grad to None (zero_grad() does, unless it is told otherwise), or leave the parameter out of the optimizer.",
        _REPAIR,
        "Optimizer.zero_grad(set_to_none)",
        _files(_FROZEN, _FROZEN.replace("set_to_none=False", "")),
    ),
    Page(
        "G714",
        "A parameter got no gradient in some steps.",
        "Its branch was not taken there. The optimizer passes over it in such a step.",
        _EXAMPLE,
        "Nothing, where branches are meant.",
        None,
        "Optimizer.zero_grad(set_to_none)",
        _files(_SOMETIMES, None),
    ),
    Page(
        "G715",
        "Clipping met a norm that was not finite.",
        "Clipping multiplies each gradient by the limit over the norm. For an infinite norm that is 0, and 0 × inf is "
        "NaN; for a NaN norm all become NaN. The step then wipes or poisons the parameters.",
        _EXAMPLE,
        "Find where the number is born (G708); leave such a step out, or pass error_if_nonfinite=True to "
        "clip_grad_norm_().",
        _REPAIR,
        "error_if_nonfinite (torch.nn.utils.clip_grad_norm_)",
        _files(_WIPED, _WIPED.replace("(1e38 if step == 2 else 1.0)", "1.0")),
    ),
)  # fmt: skip
