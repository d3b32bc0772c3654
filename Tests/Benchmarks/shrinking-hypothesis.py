#!/usr/bin/env python3
"""The shrinking challenge with Hypothesis (pip install hypothesis), counted like `shrinking`.

    python3 Tests/Benchmarks/shrinking-hypothesis.py [--seeds N] [CASE ...]

The cases are those of Tests/Benchmarks/ShrinkingChallenge/Cases.swift, in the style of Hypothesis.
An evaluation is a call of the property after the first failure.
"""
import sys
from collections import Counter
from hypothesis import HealthCheck, Phase, assume, given, seed, settings, strategies as st

integers = st.integers(-(2 ** 63), 2 ** 63 - 1)
positive = st.integers(1, 2 ** 31 - 1)


def int16(value):
    return (value + 2 ** 15) % 2 ** 16 - 2 ** 15


def bound5(lists):
    assume(all(int16(sum(x)) < 256 for x in lists))
    return int16(sum(map(sum, lists))) < 5 * 256


def reverse(values):
    return values == values[::-1]


class DividedByZero(Exception):
    pass


def value(e):
    if isinstance(e, int):
        return e
    a, b = value(e[1]), value(e[2])
    if e[0] == "+":
        return a + b
    if b == 0:
        raise DividedByZero
    return a // b


def literal_zero(e):
    if isinstance(e, int):
        return False
    return e[0] == "/" and e[2] == 0 or literal_zero(e[1]) or literal_zero(e[2])


def calculator(e):
    assume(not literal_zero(e))
    try:
        value(e)
        return True
    except DividedByZero:
        return False


expressions = st.deferred(
    lambda: integers | st.tuples(st.just("+"), expressions, expressions)
    | st.tuples(st.just("/"), expressions, expressions))


def coupling(values):
    assume(all(v < len(values) for v in values))
    return all(values[values[i]] != i or values[i] == i for i in range(len(values)))


@st.composite
def with_element(draw):
    values = draw(st.lists(integers, min_size=1, max_size=20))
    return values, draw(st.sampled_from(values))


def deletion(pair):
    values, element = list(pair[0]), pair[1]
    values.remove(element)
    return element not in values


@st.composite
def counted(draw):
    count = draw(st.integers(1, 100))
    return [draw(st.integers(0, 1000)) for _ in range(count)]


def difference(holds):
    return lambda pair: pair[0] < 10 or holds(abs(pair[0] - pair[1]))


@st.composite
def heaps(draw, least=0, size=15):
    if size == 0 or not draw(st.booleans()):
        return None
    root = draw(st.integers(least, 2 ** 31 - 1))
    return root, draw(heaps(root, size // 2)), draw(heaps(root, size // 2))


def merged(a, b):
    if a is None or b is None:
        return a or b
    if a[0] <= b[0]:
        return a[0], merged(a[2], b), a[1]
    return b[0], merged(b[2], a), b[1]


def elements(heap):
    return [] if heap is None else [heap[0]] + elements(heap[2]) + elements(heap[1])


def binary_heap(heap):
    if heap is None:
        return True
    values = [heap[0]] + elements(merged(heap[1], heap[2]))
    return values == sorted(values) and values == sorted(elements(heap))


cases = [
    ("bound5", st.tuples(*[st.lists(st.integers(-2 ** 15, 2 ** 15 - 1), max_size=10)] * 5), bound5),
    ("large union list", st.lists(st.lists(integers, max_size=10), max_size=10),
     lambda lists: len(set(sum(lists, []))) <= 4),
    ("reverse", st.lists(integers), reverse),
    ("calculator", expressions, calculator),
    ("coupling", st.lists(st.integers(0, 10), max_size=10), coupling),
    ("deletion", with_element(), deletion),
    ("distinct", st.lists(integers), lambda values: len(set(values)) < 3),
    ("nested lists", st.lists(st.lists(integers, max_size=20), max_size=20),
     lambda lists: sum(map(len, lists)) <= 10),
    ("length list", counted(), lambda values: max(values) < 900),
    ("difference 1", st.tuples(positive, positive), difference(lambda d: d != 0)),
    ("difference 2", st.tuples(positive, positive), difference(lambda d: not 1 <= d <= 4)),
    ("difference 3", st.tuples(positive, positive), difference(lambda d: d != 1)),
    ("binary heap", heaps(), binary_heap),
]


class Falsified(Exception):
    pass


def run(strategy, holds, number):
    """Returns the last failing test case, and the number of calls after the first failure."""
    calls, first, last = 0, None, None

    @seed(number)
    @settings(max_examples=20_000, database=None, deadline=None, report_multiple_bugs=False,
              suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink))
    @given(strategy)
    def test(case):
        nonlocal calls, first, last
        calls += 1
        if not holds(case):
            first, last = first or calls, case
            raise Falsified

    try:
        test()
    except Falsified:
        pass
    return last, calls - (first or calls)


def main():
    seeds = int(sys.argv[sys.argv.index("--seeds") + 1]) if "--seeds" in sys.argv else 100
    chosen = [a for a in sys.argv[1:] if not a.startswith("--") and not a.isdigit()]
    print("case              forms  mean  max   p95   missed  form")
    for name, strategy, holds in cases:
        if chosen and name not in chosen:
            continue
        forms, evaluations, missed = Counter(), [], 0
        for number in range(seeds):
            form, count = run(strategy, holds, number)
            if form is None:
                missed += 1
                continue
            forms[str(form)] += 1
            evaluations.append(count)
        best = forms.most_common(1)[0][0] if forms else "none"
        mean = sum(evaluations) // max(len(evaluations), 1)
        most = max(evaluations, default=0)
        # The nearest rank: the least number that 95 % of the evaluations do not exceed.
        p95 = sorted(evaluations)[-(-len(evaluations) * 95 // 100) - 1] if evaluations else 0
        print(f"{name:18}{len(forms):<7}{mean:<6}{most:<6}{p95:<6}{missed:<8}{best}", flush=True)


main()
