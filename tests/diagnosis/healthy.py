"""Random expressions with nothing wrong in them: smooth functions on their domains, and what is composed of them."""

from __future__ import annotations

from random import Random

from tests.checking.domains import elementwise

ATOMS = ("A", "B", "p", "r", "0.5*A", "A + 1", "B*r")
WRAPS = (
    "sin({})",
    "cos({})",
    "exp(-({})**2)",
    "tanh({})",
    "sigmoid({})",
    "F.softplus({})",
    "F.gelu({})",
    "F.silu({})",
    "torch.erf({})",
    "atan({})",
    "torch.sinh(0.3*({}))",
    "relu({})",
    "abs({})",
    "F.leaky_relu({})",
    "F.elu({})",
    "torch.logsumexp({}, 0)",
    "softmax({}, -1)",
    "log_softmax({}, -1)",
    "({}).norm()",
    "({}).mean()",
    "({})**2",
    "({})**3",
    "sqrt(1 + ({})**2)",
    "log(1 + ({})**2)",
    "1/(1 + ({})**2)",
    "({}).sum(0)",
    "({}).max()",
    "F.normalize({})",
    "F.layer_norm(A + 0.1*({}), (3,))",
    "torch.clamp({}, -1, 1)",
    "({}).cumsum(0)",
    "({}).T",
    "torch.where(({}) > 0, {}, 0.1*({}))",
    "F.mse_loss(0*A + ({}), B)",
    "torch.maximum({}, B)",
    "({}).prod()",
    "({}).amax(0)",
    "(A*({})) @ B.T",
    "torch.linalg.det((A*({})) @ B.T + 3*eye(2))",
    "({} + A)[0]",
    "({}).sort().values",
    "log(({}).abs() + 1)",
    "sqrt(({}).abs() + 0.1)",
    "torch.logaddexp({}, B)",
    "({}).flatten()[1:]",
    "F.hardtanh({})",
    "({}).sum()",
    "F.cross_entropy(A + ({}), tensor([0, 2]))",
    "where(A > 0, {}, 0)",
    "({}).detach()*A",
    "F.dropout({}, 0.2)",
)
PAIRS = (
    "({}) + ({})", "({}) * ({})", "({}) - ({})", "({}) / (1 + ({})**2)", "({}) * sigmoid({})", "atan2({}, 1 + ({})**2)",
    "torch.hypot({}, 1 + ({})**2)",
)  # fmt: skip


def expression(random: Random, depth: int) -> str:
    """A text of at most so many functions inside each other."""
    if depth <= 0:
        return random.choice(ATOMS)
    kind = random.random()
    if kind < 0.6:
        inner = expression(random, depth - 1)
        return random.choice(WRAPS).replace("{}", inner)
    if kind < 0.9:
        return random.choice(PAIRS).format(expression(random, depth - 1), expression(random, depth - 1))
    return random.choice([text for _, text in elementwise()])
