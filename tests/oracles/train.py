"""Golden numbers for the tests of src/studies/train, from programs that are not ours.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 cma==4.5.0
    venv/bin/python tests/oracles/train.py snes|cma|step|evaluations
"""

import json
import sys

import numpy as np

np.set_printoptions(precision=17, floatmode="unique", linewidth=100)


def snes():
    """One step of Schaul et al. 2011, algorithm 2, on a fixed population."""
    mu, sigma, eta_mu = np.array([0.5, -1.0]), np.array([0.5, 0.5]), 1.0
    x = np.array([[0.0, -1.5], [1.25, -0.75], [0.75, 0.0], [0.25, -2.0]])
    score = np.array([-3.0, 2.5, 7.0, 1.0])
    lam, d = x.shape
    eta_sigma = (3 + np.log(d)) / (5 * np.sqrt(d))
    u = np.maximum(0, np.log(lam / 2 + 1) - np.log(np.arange(1, lam + 1)))
    u = u / u.sum() - 1 / lam
    s = ((x - mu) / sigma)[np.argsort(-score)]
    print("mu", mu + eta_mu * sigma * (u @ s))
    print("sigma", sigma * np.exp(eta_sigma / 2 * (u @ (s**2 - 1))))


def cma():
    """Constants of PyPI's cma."""
    import cma as pycma

    for n, lam in [(3, 7), (10, 10)]:
        es = pycma.CMAEvolutionStrategy(n * [0.0], 1.0, {"popsize": lam, "verbose": -9})
        es.ask()
        es.tell(es.ask(), list(range(lam)))
        c = es.sm.parameters(mueff=es.sp.weights.mueff, lam=lam)
        print(f"n {n} lambda {lam}: weights", np.array(es.sp.weights))
        print("  mu_eff", es.sp.weights.mueff, "c_c", es.sp.cc, "c_1", c["c1"], "c_mu", c["cmu"])


def step():
    """Two generations of PyPI's cma on given draws, as JSON for tests/golden/cma.json.

    Mean, p_c and C are pycma's. Its step size rule is a variant, so sigma and p_sigma are those of the
    tutorial (figure 6) in NumPy, which must give pycma's mean, p_c and C as well, and pycma goes on
    with that sigma.
    """
    import cma as pycma

    n, lam, m, s = 3, 7, np.array([0.5, -1.0, 2.0]), 0.7
    z = [np.array([[((7 * k + 3 * i + 5 * g) % 13 - 6) / 4 for i in range(n)] for k in range(lam)])
         for g in range(2)]
    draws = iter(z)
    es = pycma.CMAEvolutionStrategy(m, s, {"popsize": lam, "verbose": -9,
                                           "randn": lambda *shape: next(draws)})
    score = lambda x: -(x[:, 0] - 1) ** 2 - 10 * (x[:, 1] + x[:, 2]) ** 2 - abs(x[:, 2])
    generations, ps, pc, C = [], np.zeros(n), np.zeros(n), None
    for g in range(2):
        x = np.array(es.ask())
        C = np.array(es.sm.C) if C is None else C  # pycma begins a little off the identity
        start = C
        scores = score(x)
        es.tell(list(x), list(-scores))
        w, c = np.array(es.sp.weights), es.sm.parameters(mueff=es.sp.weights.mueff, lam=lam)
        mueff, cc, c1, cmu = es.sp.weights.mueff, es.sp.cc, c["c1"], c["cmu"]
        cs = (mueff + 2) / (n + mueff + 5)
        ds = 1 + 2 * max(0, ((mueff - 1) / (n + 1)) ** 0.5 - 1) + cs
        chi = n**0.5 * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        D2, B = np.linalg.eigh(C)
        inverse = B @ np.diag(D2**-0.5) @ B.T
        y = ((x - m) / s)[np.argsort(-scores, kind="stable")]
        yw = np.maximum(w, 0) @ y
        m = m + s * yw
        ps = (1 - cs) * ps + (cs * (2 - cs) * mueff) ** 0.5 * inverse @ yw
        h = np.linalg.norm(ps) / (1 - (1 - cs) ** (2 * (g + 1))) ** 0.5 < (1.4 + 2 / (n + 1)) * chi
        pc = (1 - cc) * pc + h * (cc * (2 - cc) * mueff) ** 0.5 * yw
        length = np.linalg.norm(y @ inverse, axis=1) + 1e-9  # pycma's guard against 0
        wo = np.where(w >= 0, w, w * n / length**2)
        C = ((1 + c1 * (1 - h) * cc * (2 - cc) - c1 - cmu * w.sum()) * C
             + c1 * np.outer(pc, pc) + cmu * (y.T * wo) @ y)
        s = s * np.exp(cs / ds * (np.linalg.norm(ps) / chi - 1))
        for ours, theirs in [(m, es.mean), (pc, es.pc), (C, es.sm.C)]:
            assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-14), (g, ours, theirs)
        es.sigma = s
        generations.append({"start": start.tolist(), "candidates": x.tolist(),
                            "scores": scores.tolist(), "mean": es.mean.tolist(),
                            "p_c": es.pc.tolist(), "cov": np.array(es.sm.C).tolist(),
                            "p_sigma": ps.tolist(), "sigma": s})
    source = f"python3 tests/oracles/train.py step: PyPI cma {pycma.__version__}"
    print(json.dumps({"source": source, "generations": generations}))


def evaluations():
    """Median evaluations of PyPI's cma to come within 1e-8 of the optimum at 1, 21 seeds."""
    import cma as pycma

    sphere = lambda x: sum((x - 1) ** 2)
    rosenbrock = lambda x: sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    for name, f in [("sphere", sphere), ("rosenbrock", rosenbrock)]:
        for n in [5, 10]:
            counts = []
            for seed in range(1, 22):
                es = pycma.CMAEvolutionStrategy(n * [0.0], 0.5, {"seed": seed, "verbose": -9,
                                                                 "ftarget": 1e-8, "tolflatfitness": 99})
                es.optimize(f)
                if es.best.f <= 1e-8:
                    counts.append(es.countevals)
            print(name, n, "reached", len(counts), "of 21, median", np.median(counts))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
