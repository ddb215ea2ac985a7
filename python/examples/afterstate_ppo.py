"""PPO on afterstates: one small network scores every legal placement, and the policy is a softmax over the scores.

    python afterstate_ppo.py --figure curve.png          # needs torch and matplotlib

A network that sees the cells must first learn what a placement does. Here the environment shows the result of each
placement, so the network only judges boards: nine features in, a score and a value out, the same for all placements.
The value of a state is the mean of its placements' values under the policy. Each placement earns 0.1.
"""

import torch
from learning import FEATURES, GAME, SCALE, Curve, read_options
from tetrastat.envs import PlacementVectorEnv
from torch import nn

GAMES, LENGTH, EPOCHS, BATCH = 64, 64, 4, 1024
GAMMA, LAMBDA, CLIP, RATE = 0.99, 0.95, 0.2, 1e-2


def policy(network, features, mask):
    """Returns the log-probabilities of all placements, and the value of the state."""
    score, value = network(features).unbind(-1)
    log_probability = score.masked_fill(~mask, -1e9).log_softmax(-1)
    return log_probability, (log_probability.exp() * value).sum(-1)


@torch.no_grad()
def choose(network, features, mask):
    """Returns the most probable placement of each game."""
    return policy(network, torch.from_numpy(features), torch.from_numpy(mask))[0].argmax(-1).numpy()


def advantages(rewards, lost, values):
    """Returns the generalised advantage estimates of a rollout. ``values`` has one more row than the others."""
    result, later = torch.zeros_like(rewards), 0
    for step in reversed(range(len(rewards))):
        error = rewards[step] + GAMMA * ~lost[step] * values[step + 1] - values[step]
        later = result[step] = error + GAMMA * LAMBDA * ~lost[step] * later
    return result


def learn(steps, seed, curve):
    torch.manual_seed(seed)
    network = nn.Sequential(nn.Linear(len(FEATURES), 32), nn.Tanh(), nn.Linear(32, 2))
    nn.init.normal_(network[2].weight, std=0.01)
    optimiser = torch.optim.Adam(network.parameters())
    env = PlacementVectorEnv(GAMES, reward=[0.1] * 5, autoreset_mode="SameStep", threads=1, **GAME)
    seen, info = env.reset(seed=seed)
    rounds = max(1, steps // (GAMES * LENGTH))
    for round in range(rounds):
        curve.test(lambda *state: choose(network, *state), round * GAMES * LENGTH)
        rollout = []
        for _ in range(LENGTH):
            features, mask = torch.from_numpy(seen / SCALE), torch.from_numpy(info["action_mask"] > 0)
            with torch.no_grad():
                log_probability, value = policy(network, features, mask)
            action = torch.multinomial(log_probability.exp(), 1)
            seen, reward, lost, _, info = env.step(action[:, 0].numpy())
            before = log_probability.gather(1, action)
            reward, lost = torch.from_numpy(reward).float(), torch.from_numpy(lost)
            rollout.append((features, mask, action, before, value, reward, lost))
        features, mask, action, before, value, reward, lost = map(torch.stack, zip(*rollout))
        with torch.no_grad():
            last = policy(network, torch.from_numpy(seen / SCALE), torch.from_numpy(info["action_mask"] > 0))[1]
        advantage = advantages(reward, lost, torch.cat([value, last[None]]))
        target = advantage + value
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        data = [part.flatten(0, 1) for part in (features, mask, action, before, advantage, target)]
        optimiser.param_groups[0]["lr"] = RATE * (1 - round / rounds)
        for _ in range(EPOCHS):
            for chosen in torch.randperm(GAMES * LENGTH).split(BATCH):
                features, mask, action, before, advantage, target = (part[chosen] for part in data)
                log_probability, value = policy(network, features, mask)
                ratio = (log_probability.gather(1, action) - before)[:, 0].exp()
                gain = torch.minimum(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
                loss = 0.5 * (value - target).square().mean() - gain
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), 0.5)
                optimiser.step()
    return network


if __name__ == "__main__":
    options = read_options(__doc__, steps=204_800, quick=40_960)
    torch.set_num_threads(1)
    curve = Curve(options)
    network = learn(options.steps, options.seed, curve)
    curve.finish(lambda *state: choose(network, *state))
