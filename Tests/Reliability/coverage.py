"""Region coverage of Events: reads what `llvm-cov export` writes, on standard input.

Every region that no test reaches has to be explained in uncovered.txt beside this file, by its file and a
piece of its source, `*` for any file; exit 1 where one is not, or where an explanation explains nothing any more.
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
    print(f"explains nothing: {file}: {piece}")
print(f"not reached and explained: {len(missed) - unexplained}; not explained: {unexplained}")
sys.exit(1 if unexplained or stale else 0)
