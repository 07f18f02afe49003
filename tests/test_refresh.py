"""docs/refresh.py writes anew what differs, and tells what it cannot write."""

from __future__ import annotations

from tests.documentation import fresh, pages


def test_a_wrong_answer_is_written_anew() -> None:
    page = '```console\n$ gradcli grad "A^2"; echo $?\n2\n```\n'
    right = page.replace(
        "\n2\n", "\nerror: '^' is exclusive or in Python, not a power\n  A^2\n  ^^^\nhint: write A**2\n2\n"
    )
    assert fresh(page) == right
    assert fresh(right) == right


def test_a_stale_made_part_is_written_anew() -> None:
    page = "<!-- made: exit_codes -->\n| code | meaning |\n<!-- end -->\n"
    assert "| 70 | a bug in gradcli" in fresh(page)


def test_a_wrong_session_is_told() -> None:
    assert "Expected:\n    3" in pages.tried("```python\n>>> 1 + 1\n3\n```\n", "page")


def test_files_pipes_and_continued_lines() -> None:
    page = """```python title="snippet.py"
A = torch.tensor([5.0], requires_grad=True)
```
```console
$ gradcli eval -q @snippet.py --format csv > answer.csv
$ cat answer.csv | head -2
$ printf 'A*5' | gradcli eval - --at 1 --format csv
$ gradcli eval "B = A*3
> B*2" --at 3 --format csv
```
"""
    assert fresh(page).split("\n")[4:-2] == [
        "$ gradcli eval -q @snippet.py --format csv > answer.csv",
        "$ cat answer.csv | head -2",
        "tensor,index,value,grad,requires_grad,grad_fn",
        "A,0,5.0,,True,leaf",
        "$ printf 'A*5' | gradcli eval - --at 1 --format csv",
        "tensor,index,value,grad,requires_grad,grad_fn",
        "A,,1.0,,True,leaf",
        "A*5,,5.0,,True,MulBackward0",
        '$ gradcli eval "B = A*3',
        '> B*2" --at 3 --format csv',
        "tensor,index,value,grad,requires_grad,grad_fn",
        "A,,3.0,,True,leaf",
        "B*2,,18.0,,True,MulBackward0",
    ]
