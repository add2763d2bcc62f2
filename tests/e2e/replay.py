"""Command lines with what they print, kept as text: run again on Muster and on the reference.

    # a comment
    @ours                 the next command is run only on Muster (or: @reference)
    $ sacctmgr -i add account a     a command, its words as a shell would split them
    < y                   a line of its standard input
    |  Adding Account(s)  a line of its output; one that ends in a blank has a ~ behind it
    ! text                a line of its errors
    = 1                   its exit code, where it is not 0

Associations that follow each other ("  C = ...") are compared in any order. Only the errors are compared that the file has: a command whose errors are not kept may say anything there.
"""
import shlex
from dataclasses import dataclass, field


@dataclass
class Step:
    command: str
    where: str = ""  # "ours", "reference", or both
    input: list = field(default_factory=list)
    out: list = field(default_factory=list)
    err: list = field(default_factory=list)
    code: int = 0
    before: list = field(default_factory=list)  # comments

    def words(self):
        return shlex.split(self.command)


def _shown(line):
    return line + "~" if line != line.rstrip() else line


def parse(text):
    steps, before, where = [], [], ""
    for number, line in enumerate(text.splitlines(), 1):
        mark, rest = line[:1], line[2:]
        if mark in ("", "#"):
            before.append(line)
        elif mark == "@":
            where = line[1:].strip()
        elif mark == "$":
            steps.append(Step(rest, where, before=before))
            before, where = [], ""
        elif mark == "<":
            steps[-1].input.append(rest)
        elif mark == "|":
            steps[-1].out.append(line[1:].removesuffix("~") if line.endswith(" ~") else line[1:])
        elif mark == "!":
            steps[-1].err.append(line[1:])
        elif mark == "=":
            steps[-1].code = int(rest)
        else:
            raise ValueError(f"line {number}: {line}")
    return steps


def write(step):
    lines = [*step.before]
    if step.where:
        lines.append(f"@{step.where}")
    lines.append(f"$ {step.command}")
    lines += [f"< {line}" for line in step.input]
    lines += [f"|{_shown(line)}" for line in step.out]
    lines += [f"!{line}" for line in step.err]
    if step.code:
        lines.append(f"= {step.code}")
    return "\n".join(lines) + "\n"


def same(a, b):
    """Whether two runs of a step are alike."""
    def sorted_associations(lines):
        runs = []
        for line in lines:
            listed = line.startswith("  C = ")
            if not runs or not listed or not runs[-1][0].startswith("  C = "):
                runs.append([])
            runs[-1].append(line)
        return [sorted(lines) for lines in runs]

    return (sorted_associations(a.out), a.err, a.code) == (sorted_associations(b.out), b.err, b.code)


def run(step, execute):
    """The step as it goes now. `execute` runs words with an input and gives something like muster.Done."""
    done = execute(*step.words(), input="".join(f"{line}\n" for line in step.input))
    return Step(step.command, step.where, step.input, done.out.split("\n")[:-1] if done.out else [],
                done.err.splitlines() if step.err else [], done.code, step.before)
