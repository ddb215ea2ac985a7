"""Falling-block games as gymnasium environments: single games, or batches of games.

==========================  ================================================  ===================================
name                        action                                            classes
==========================  ================================================  ===================================
``tetrastat/Placement-v0``  a placement: orientation x width + column         `PlacementEnv`, `PlacementVectorEnv`
``tetrastat/Keys-v0``       one of six keys (the notebook's game)             `KeysEnv`, `KeysVectorEnv`
``tetrastat/Guideline-v0``  one of the legal placements, or one of 11 keys    `GuidelineEnv`, `GuidelineVectorEnv`
==========================  ================================================  ===================================

Importing this module registers the names. The engine plays the games: game ``i`` of a seed is the game that
``tetrastat simulate --seed`` deals (``tetrastat play --keys`` for keys).

>>> import gymnasium as gym, tetrastat.envs
>>> env = gym.make("tetrastat/Placement-v0", board="10x10")
>>> observation, info = env.reset(seed=1)
>>> int(env.action_space.n), int(info["action_mask"].sum())
(40, 9)
"""

from importlib.util import find_spec

if find_spec("gymnasium") is None:
    raise ImportError("tetrastat.envs needs gymnasium: pip install 'gymnasium>=1.1'")

from .._registration import register
from ._options import Guideline, Keys, Placement
from ._single import GuidelineEnv, KeysEnv, PlacementEnv
from ._vector import GuidelineVectorEnv, KeysVectorEnv, PlacementVectorEnv

__all__ = [
    "Guideline",
    "GuidelineEnv",
    "GuidelineVectorEnv",
    "Keys",
    "KeysEnv",
    "KeysVectorEnv",
    "Placement",
    "PlacementEnv",
    "PlacementVectorEnv",
]

register()
