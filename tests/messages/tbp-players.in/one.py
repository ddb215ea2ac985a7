"""The bot `greedy` with one move in each suggestion."""
import json
import sys

import greedy

print(json.dumps({"type": "info", "name": "One", "version": "1", "author": "tests", "features": []}), flush=True)
state = {}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "quit":
        break
    reply = greedy.answer(state, message)
    if reply and "moves" in reply:
        reply["moves"] = reply["moves"][:1]
    if reply:
        print(json.dumps(reply), flush=True)
