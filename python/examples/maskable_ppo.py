"""MaskablePPO of sb3-contrib: a policy of a few lines that scores every legal placement with one shared network.

    python maskable_ppo.py --figure curve.png          # needs sb3-contrib and matplotlib

The usual policy would read the features of all 40 placements as one long vector. It learns next to nothing, because it
must learn for each placement anew what makes a board good. Here one network maps the features of a placement to a score
and a value, the same for all placements. The scores are the logits of the policy.
"""

import torch
from learning import FEATURES, GAME, SCALE, Curve, read_options
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from tetrastat.envs import PlacementVectorEnv
from tetrastat.envs.sb3 import SB3VecEnv
from torch import nn


class Scores(BaseFeaturesExtractor):
    """Network that returns the score of each placement and, in the last column, the value of the state."""

    def __init__(self, space):
        super().__init__(space, features_dim=space.shape[0] + 1)
        self.register_buffer("scale", torch.from_numpy(SCALE))
        self.network = nn.Sequential(nn.Linear(len(FEATURES), 32), nn.Tanh(), nn.Linear(32, 2))
        nn.init.normal_(self.network[2].weight, std=0.01)

    def forward(self, afterstates):
        score, value = self.network(afterstates / self.scale).unbind(-1)
        # Rows of illegal placements are 0.
        probability = score.masked_fill((afterstates == 0).all(-1), -1e9).softmax(-1)
        return torch.cat([score, (probability * value).sum(-1, keepdim=True)], 1)


class Columns(nn.Module):
    """Layer that keeps some columns of its input."""

    def __init__(self, columns):
        super().__init__()
        self.columns = columns

    def forward(self, values):
        return values[:, self.columns]


class SharedPolicy(MaskableActorCriticPolicy):
    """Policy without further layers: logits and value are columns of the extractor's output."""

    def __init__(self, *args, **options):
        super().__init__(*args, net_arch=[], features_extractor_class=Scores, **options)

    def _build(self, schedule):
        self._build_mlp_extractor()
        self.action_net, self.value_net = Columns(slice(-1)), Columns(slice(-1, None))
        self.optimizer = self.optimizer_class(self.parameters(), lr=schedule(1), **self.optimizer_kwargs)


class Tests(BaseCallback):
    """Adds points to the learning curve while the model learns."""

    def __init__(self, curve):
        super().__init__()
        self.curve = curve

    def _on_rollout_start(self):
        self.curve.test(lambda *state: choose(self.model, *state), self.num_timesteps)

    def _on_step(self):
        return True


def choose(model, features, mask):
    """Returns the most probable placement of each game."""
    return model.predict(features * SCALE, action_masks=mask, deterministic=True)[0]


if __name__ == "__main__":
    options = read_options(__doc__, steps=204_800, quick=40_960)
    torch.set_num_threads(1)
    curve = Curve(options)
    games = PlacementVectorEnv(64, reward=[0.1] * 5, autoreset_mode="SameStep", threads=1, **GAME)
    model = MaskablePPO(
        SharedPolicy, SB3VecEnv(games), n_steps=64, batch_size=1024, n_epochs=4, gamma=0.99,
        learning_rate=lambda remaining: 1e-2 * remaining, seed=options.seed, device="cpu",
    )
    model.learn(options.steps, callback=Tests(curve))
    curve.finish(lambda *state: choose(model, *state))
