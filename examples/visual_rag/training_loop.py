"""A loop of the shape that trainers have, on lists of lists: no GPU, no tensor library, and the module in the middle.

It stands for the loop of a trainer: `generate` is the policy, rows are token ids, rows are padded to the longest, and
an active mask says which episodes go on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from src.modules.visual_rag.application.rollout import Rollout
from src.shared.domain.llm_exchange import ImagePart

PAD = 0
"""Token that no text has."""
Generate = Callable[[list[int], list[list[int]]], list[str]]
"""The policy: the numbers of the active episodes and their rows; a turn for each."""


def encode(text: str) -> list[int]:
    """A text's tokens: here its characters."""
    return [ord(sign) for sign in text]


def decode(row: Sequence[int]) -> str:
    """The text of a row, without padding."""
    return "".join(chr(token) for token in row if token != PAD)


def padded(rows: Sequence[list[int]]) -> list[list[int]]:
    """All rows as long as the longest."""
    longest = max(map(len, rows))
    return [row + [PAD] * (longest - len(row)) for row in rows]


@dataclass
class Batch:
    """What a trainer gets of a batch of episodes.

    Attributes:
        rows: tokens of prompt, turns and observations, padded.
        loss_mask: 1 for tokens that the policy wrote, 0 for observations and padding; of the shape of `rows`.
        images: what each episode was shown.
        valid_actions: how many turns of each had an action.
        searches: how many searches each made.
        active_counts: how many episodes went on, step by step.
    """

    rows: list[list[int]]
    loss_mask: list[list[int]]
    images: list[list[ImagePart]]
    valid_actions: list[int]
    searches: list[int]
    active_counts: list[int] = field(default_factory=list)


async def run_llm_loop(prompts: Sequence[str], rollout: Rollout, generate: Generate, max_turns: int) -> Batch:
    """Play the episodes of a batch: `max_turns` steps, and a last one in which only answers count."""
    count = len(prompts)
    rows = [encode(prompt) for prompt in prompts]
    masks = [[0] * len(row) for row in rows]
    batch = Batch([], [], [[] for _ in rows], [0] * count, [0] * count)
    active = [True] * count
    for turn in range(max_turns + 1):
        batch.active_counts.append(sum(active))
        if not any(active):
            break
        going_on = [at for at in range(count) if active[at]]
        written = dict(zip(going_on, generate(going_on, padded([rows[at] for at in going_on])), strict=True))
        step = await rollout.step([written.get(at, "") for at in range(count)], active, do_search=turn < max_turns)
        for at in going_on:
            response, observation = encode(step.responses[at]), encode(step.next_obs[at])
            rows[at] += response + observation
            masks[at] += [1] * len(response) + [0] * len(observation)
            batch.images[at] += step.images[at]
            batch.valid_actions[at] += step.valid_action[at]
            batch.searches[at] += step.is_search[at]
        active = [is_active and not done for is_active, done in zip(active, step.dones, strict=True)]
    batch.rows, batch.loss_mask = padded(rows), padded(masks)
    return batch
