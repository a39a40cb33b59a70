"""Writes expected.txt: the epsilon of mechanisms, by dp-accounting 0.6.0 (pip install dp-accounting==0.6.0)."""

import dp_accounting as dp
from dp_accounting import pld, rdp

CASES = [  # noise, sampling, rounds
    [(1, 1, 1)], [(0.3, 1, 1)], [(4, 1, 100)], [(20, 1, 100)], [(1.1, 1, 15)], [(0.5, 1, 50)],
    [(1, 0.01, 1000)], [(0.7, 0.01, 1000)], [(1.1, 0.1, 15)], [(1.1, 0.001, 10000)], [(2, 0.5, 200)], [(0.6, 0.25, 3)],
    [(5, 0.01, 100)], [(10, 0.9, 30)], [(0.4, 0.02, 10)], [(30, 0.3, 1)],
    [(1, 0.01, 500), (4, 1, 20)], [(2, 0.1, 50), (1.5, 0.02, 100), (8, 0.5, 10)],
]


def event(noise, sampling, rounds):
    e = dp.GaussianDpEvent(noise)
    if sampling < 1:
        e = dp.PoissonSampledDpEvent(sampling, e)
    return dp.SelfComposedDpEvent(e, rounds)


print("# delta, epsilon by RDP, epsilon by PLD, then noise sampling rounds of each mechanism")
for case in CASES:
    for delta in (1e-3, 1e-5, 1e-8):
        eps = []
        for a in (rdp.RdpAccountant(), pld.PLDAccountant()):
            for m in case:
                a.compose(event(*m))
            eps.append(f"{a.get_epsilon(delta):.6g}")
        print(f"{delta:g} {' '.join(eps)}", *(f"{n:g} {q:g} {r}" for n, q, r in case))
