"""Ways for a script to end, and what surrounds one: each must say and return the same with and without gradcli."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Ending:
    """A script, what it is started with, and the files beside it."""

    script: str
    words: tuple[str, ...] = ("script.py",)
    options: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    stdin: str = ""
    without_torch: bool = False


BACKWARD = """
import torch
a = torch.ones(2, requires_grad=True)
b = a.exp()
b += 1
b.sum().backward()
"""

ENDINGS: dict[str, Ending] = {
    "exception": Ending("import torch\ndef f(x):\n    return x / 0\nf(3)\n"),
    "chained": Ending(
        "import torch\ntry:\n    torch.ones(2) @ torch.ones(3)\nexcept RuntimeError as error:\n    raise KeyError('x') from error\n"
    ),
    "error in backward": Ending(BACKWARD),
    "error in a user's backward": Ending(
        "import torch\nclass F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        raise ValueError('mine')\n"
        "F.apply(torch.ones(1, requires_grad=True)).backward()\n"
    ),
    "exit code": Ending("import torch, sys\nprint('before')\nsys.exit(3)\n"),
    "exit message": Ending("import torch, sys\nsys.exit('a message')\n"),
    "os._exit": Ending("import os, torch\nos._exit(7)\n"),
    "SIGINT": Ending("import os, signal, torch\nos.kill(os.getpid(), signal.SIGINT)\nimport time\ntime.sleep(5)\n"),
    "SIGTERM": Ending("import os, signal, torch\nprint('x', flush=True)\nos.kill(os.getpid(), signal.SIGTERM)\nimport time\ntime.sleep(5)\n"),
    "SIGTERM handled": Ending(
        "import os, signal, sys, torch\nsignal.signal(signal.SIGTERM, lambda *a: sys.exit(4))\nos.kill(os.getpid(), signal.SIGTERM)\nimport time\ntime.sleep(5)\n"
    ),
    "abort": Ending("import os, torch\nprint('x', flush=True)\nos.abort()\n"),
    "own excepthook": Ending(
        "import sys, torch\ndef hook(kind, value, traceback):\n    print('hook', kind.__name__, value, file=sys.stderr)\nsys.excepthook = hook\n"
        + BACKWARD
    ),
    "syntax error": Ending("import torch\nx = (\n", without_torch=True),
    "atexit": Ending("import atexit, torch\natexit.register(print, 'last words')\nprint('body')\n"),
    "warnings": Ending(
        "import warnings, torch\ndef old():\n    warnings.warn('old', DeprecationWarning, stacklevel=2)\nold()\n"
        "warnings.warn('top', stacklevel=2)\na = torch.ones(2, requires_grad=True) * 2\na.grad\n"
        "import torch.nn.functional as F\nF.mse_loss(torch.ones(2, 1, requires_grad=True), torch.ones(2)).backward()\n"
        "a.sum().backward(create_graph=True)\n"
    ),
    "unpicklable classes of main": Ending(
        "import pickle, torch\nclass Mine:\n    pass\nprint(pickle.dumps(Mine(), 2))\nprint(type(pickle.loads(pickle.dumps(Mine()))).__module__)\n"
    ),
    "loaders": Ending(
        "import sys, torch\nfrom torch.utils.data import DataLoader, Dataset\n"
        "class Data(Dataset):\n    def __len__(self):\n        return 4\n    def __getitem__(self, i):\n        return torch.tensor(float(i))\n"
        "if __name__ == '__main__':\n    for method in ('fork', 'spawn'):\n"
        "        loader = DataLoader(Data(), batch_size=2, num_workers=2, multiprocessing_context=method)\n"
        "        print(method, [batch.tolist() for batch in loader])\n"
    ),
    "forked": Ending(
        "import os, sys, torch\nsys.stdout.flush()\nchild = os.fork()\nif child == 0:\n    print('child')\n    sys.exit(5)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    ),
    "spawned": Ending(
        "import os, subprocess, sys, torch\nprint(os.environ.get('PYTHONPATH'), 'GRADCLI_RUN' in os.environ)\n"
        "subprocess.run([sys.executable, '-c', 'import torch; print(1)'], check=True)\n"
    ),
    "module": Ending(
        "", ("-m", "package", "--epochs", "3"),
        files={"package/__init__.py": "", "package/__main__.py": "import sys, torch\nfrom package import inner\nprint(sys.argv[1:], sys.path[0] != '', __name__, __package__, inner.x)\n",
               "package/inner.py": "x = 5\n"},
    ),
    "standard input": Ending("", ("-", "word"), stdin="import sys, torch\nprint(sys.argv, __name__)\n1/0\n"),
    "other folder": Ending(
        "", ("deep/er/script.py", "-q", "--report", "x.json", "-m"),
        files={"deep/er/script.py": "import os, sys, torch\nimport local\nif __name__ == '__main__':\n    print(sys.argv, __file__, os.path.basename(os.getcwd()) != '', sys.path[0].endswith('er'), local.x, open('data.txt').read())\n",
               "deep/er/local.py": "x = 1\n", "data.txt": "data"},
    ),
    "world": Ending(
        "import sys, os\nprint(sys.argv, sys.flags, sys.path[1:], sorted(os.environ), sys.orig_argv[1:], 'sitecustomize' in sys.modules, 'torch' in sys.modules)\n"
        "import torch\nprint(len(sys.meta_path), type(torch.__loader__), torch.__spec__.loader.exec_module.__qualname__, torch.is_anomaly_enabled(), torch.is_grad_enabled())\n"
        "import threading, gc\nprint(threading.active_count(), gc.isenabled(), sys.excepthook is sys.__excepthook__, sys.gettrace(), sys.getprofile())\n"
    ),
    "missing module": Ending("import nothing_of_the_kind\n", without_torch=True),
    "no torch": Ending("print('hello')\n", without_torch=True),
    "closed output": Ending("import sys, torch\nsys.stdout.close()\n"),
    "thread": Ending("import threading, torch\ndef f():\n    raise ValueError('in a thread')\nt = threading.Thread(target=f)\nt.start()\nt.join()\nprint('end')\n"),
    "torch is shadowed": Ending("import torch\nprint(torch.x)\n", files={"torch.py": "x = 1\n"}),
    "modules shadowed": Ending("import torch\nimport csv\nprint(csv.x)\n", files={"csv.py": "x = 1\n", "rich.py": "print('no')\n"}),
}  # fmt: skip
