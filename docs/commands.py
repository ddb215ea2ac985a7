#!/usr/bin/env python3
"""Prints the page "Command line" of the site, from the help of the program: ``docs/commands.py PROGRAM``."""

import re
import subprocess
import sys

PROGRAM = sys.argv[1]
HEAD = """# Command line

Every command with its options, as `tetrastat COMMAND --help` prints them. [First run](../tutorials/first-run.md) shows the commands at work.
"""
OPTION = re.compile(r"(?:  |      )([-<[]\S.*?)(?:  +(.*))?")


def sections(words=(), shared=()):
    """Returns the section of a command and those of its subcommands, without options that all commands share."""
    told = subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout
    about, _, rest = told.partition("\n\nUsage: ")
    usage, _, rest = rest.partition("\n\n")
    lines = [f"{'#' * (len(words) + 1)} {' '.join(['tetrastat', *words])}", "", about, "", "```text", usage, "```", ""] if words else []
    below, names, is_option = [], [], False
    for line in rest.splitlines():
        option, command = OPTION.fullmatch(line), re.match(r"  ([a-z][\w-]*)  +\S", line)
        if option:
            names.append(option[1])
            lines.append(f"- `{option[1]}`:")
        elif command:
            below += [command[1]] if command[1] != "help" else []
        is_more = is_option and (not line.strip() or line.startswith(" " * 10))
        is_option = bool(option) or is_more
        text = option[2] or "" if option else line.strip()
        if option or is_more:
            if not line.strip():
                lines[-1] = lines[-1].rstrip(",") + ("" if lines[-1][-1] in ".:]" else ".")
            elif text:
                lines[-1] += " " + re.sub(r"^- ([\w.-]+)(?:: +(.*))?$", r"`\1` (\2),", text).replace("<", "&lt;")
        elif re.fullmatch(r"[A-Z].*:", line):
            lines += ["", f"**{line[:-1]}**", ""]
        elif not command and not (below and line.startswith(" " * 7)):
            lines += [""] if lines and lines[-1].startswith("- ") else []
            lines.append(line if line.startswith("    ") else line.replace("<", "&lt;"))
    keep = [line for line in lines if not any(line.startswith(f"- `{name}`") for name in shared)]
    text = re.sub(r"(\n\*\*[^*]+\*\*\n\n)+(?=\n|\Z)", "\n", "\n".join([*keep, ""]))
    return text + "\n" + "\n".join(sections((*words, name), shared or names) for name in below)


if __name__ == "__main__":
    # Markdown would read two of these in brackets as a link.
    text = re.sub(r"\[(default|possible values): ([^]]*)\]", r"(\1: \2)", sections())
    print(HEAD + re.sub(r"\n{3,}", "\n\n", text).rstrip())
