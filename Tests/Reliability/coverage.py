"""Region coverage of Events: reads the output of `llvm-cov export` on standard input.

uncovered.txt beside this file must explain every region that no test reaches, by its file (`*` for any) and a
piece of its source. Exit status 1 if an explanation is missing, or if one matches no region any more.
"""
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
counts = {}
for function in json.load(sys.stdin)["data"][0]["functions"]:
    for region in function["regions"]:
        line, column, end, end_column, count, file, _, kind = region[:8]
        path = function["filenames"][file]
        if kind == 0 and "/Sources/Events/" in path:
            key = (path, line, column, end, end_column)
            counts[key] = max(counts.get(key, 0), count)
missed = sorted(key for key, count in counts.items() if count == 0)
reached = len(counts) - len(missed)
print(f"regions of Events: {len(counts)}, reached: {reached} ({100 * reached / len(counts):.2f} %)")

reasons = []
for text in open(os.path.join(here, "uncovered.txt"), encoding="utf-8"):
    if text.strip() and not text.startswith("#"):
        file, piece, reason = text.rstrip("\n").split("\t")
        reasons.append([file, piece, reason, 0])
unexplained = 0
sources = {}
for path, line, column, end, end_column in missed:
    source = sources.setdefault(path, open(path, encoding="utf-8").read().split("\n"))
    text = "\n".join(source[line - 1 : end])
    for reason in reasons:
        if (reason[0] == "*" or path.endswith("/" + reason[0])) and reason[1] in text:
            reason[3] += 1
            break
    else:
        unexplained += 1
        print(f"{path[path.index('Sources'):]}:{line}:{column}-{end}:{end_column}: {source[line - 1].strip()}")
stale = [reason for reason in reasons if reason[3] == 0]
for file, piece, _, _ in stale:
    print(f"explanation without a region: {file}: {piece}")
print(f"not reached and explained: {len(missed) - unexplained}; not explained: {unexplained}")
sys.exit(1 if unexplained or stale else 0)
