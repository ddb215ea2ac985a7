"""Registration of the environments for ``gymnasium.make`` and ``gymnasium.make_vec``."""

from importlib.util import find_spec

ENVIRONMENTS = {
    "tetrastat/Placement-v0": "Placement",
    "tetrastat/Keys-v0": "Keys",
    "tetrastat/Guideline-v0": "Guideline",
}

#: Step at which games of the registered names are truncated. Without it, an agent that repeats an illegal action never ends.
MAX_STEPS = 10_000


def register() -> None:
    """Registers the environments if gymnasium is installed. A second call has no effect."""
    if find_spec("gymnasium") is None:
        return
    from gymnasium.envs import registration

    for name, kind in ENVIRONMENTS.items():
        if name not in registration.registry:
            registration.register(
                name,
                entry_point=f"tetrastat.envs:{kind}Env",
                vector_entry_point=f"tetrastat.envs:{kind}VectorEnv",
                kwargs={"max_steps": MAX_STEPS},
            )
