"""A bot that plays as `greedy` does up to its decision number `at`, and then makes the mistake `fault`."""
import json
import os
import random
import subprocess
import sys
import time

from greedy import answer

fault, at = sys.argv[1], int(sys.argv[2])
chance = random.Random(int(sys.argv[3]) if sys.argv[3:] and sys.argv[3].isdigit() else 0)


def say(message):
    print(json.dumps(message), flush=True)


def noise():
    """Returns random bytes, a random value, or a message of the protocol with random damage."""
    place = {"type": chance.choice("IOTSZJLQ"), "orientation": chance.choice(["north", "west", "up", 3]),
             "x": chance.choice([4, -1, 10**30, 1.5, "4", None]), "y": chance.choice([0, 39, -(2**63), 2**64, True])}
    message = chance.choice([{"type": "suggestion", "moves": [{"location": place, "spin": chance.choice(["none", 1])}]},
                             {"type": "suggestion", "moves": [{}]}, {"type": "suggestion"}, {"type": "ready"}, [], 1e999,
                             {"type": "error", "reason": chance.choice(["no\x1b[31m", 7])}, {"type": 3},
                             {"type": "what"},
                             {"type": "info", "name": "a" * 500, "version": "", "author": "\n"}, None, "move"])
    text = json.dumps(message).encode() + b"\n"
    if chance.random() < 0.3:
        text = text[:chance.randrange(len(text))] + b"\n"
    if chance.random() < 0.3:
        text = bytes(chance.randrange(256) for _ in range(chance.randrange(200))) + b"\n"
    return text * chance.choice([1, 1, 1, 40])


def fail():
    if fault == "crash" or (fault == "crash-once" and os.path.exists("crash")):
        sys.exit("out of luck")
    if fault == "silence":
        time.sleep(600)
    if fault == "child":
        # The child keeps the pipes open after its parent is killed.
        subprocess.run(["sleep", f"600.{sys.argv[3]}"], check=False)
    if fault == "illegal":
        location = {"type": "T", "orientation": "north", "x": 4, "y": 15}
        say({"type": "suggestion", "moves": [{"location": location, "spin": "none"}]})
    if fault == "none":
        say({"type": "suggestion", "moves": []})
    if fault == "half":
        print('{"type":"sugg', end="", flush=True)
        sys.exit("out of luck")
    if fault == "text":
        print("thinking\x1b[2J ...", flush=True)
    if fault == "error":
        say({"type": "error", "reason": "unsupported_rules"})
    if fault == "order":
        say({"type": "ready"})
    if fault == "long":
        print("x" * 3_000_000, flush=True)
    if fault == "flood":
        while True:
            say({"type": "suggestion", "moves": []})
    if fault == "deaf":
        say({"type": "ready"})
        while True:
            time.sleep(0.05)
            say({"type": "suggestion", "moves": []})
    if fault == "noise":
        sys.stdout.buffer.write(noise())
        sys.stdout.buffer.flush()


if at < 0:
    fail()
name = sys.argv[3] if fault == "name" else "Faulty"
say({"type": "info", "name": name, "version": "1", "author": "tests", "features": []})
state, decisions = {}, 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "quit":
        break
    if message["type"] == "rules" and at == 0:
        fail()
    if message["type"] == "suggest":
        decisions += 1
        if decisions == at or (fault in ("noise", "none") and decisions > at):
            fail()
    reply = answer(state, message)
    is_faulty = fault != "crash-once" and message["type"] == "suggest" and decisions >= at > 0
    if reply and not is_faulty:
        say(reply)
