"""How many may ask at once, and how soon again."""

from src.entrypoints.http.security.api_keys import TokenBuckets


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_full_bucket_gives_its_burst_and_then_says_how_long_to_wait() -> None:
    buckets = TokenBuckets(rate=2, burst=3, clock=Clock())

    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_tokens_come_back_with_time_and_never_beyond_the_burst() -> None:
    clock = Clock()
    buckets = TokenBuckets(rate=2, burst=3, clock=clock)
    for _ in range(3):
        buckets.take("a")

    clock.now = 0.5
    assert [buckets.take("a"), buckets.take("a")] == [0, 0.5]
    clock.now = 1_000
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_looking_at_a_bucket_takes_nothing() -> None:
    buckets = TokenBuckets(rate=1, burst=1, clock=Clock())

    assert [buckets.wait("a"), buckets.wait("a"), len(buckets)] == [0, 0, 0]
    buckets.take("a")
    assert buckets.wait("a") == 1


def test_one_name_does_not_empty_the_bucket_of_another() -> None:
    buckets = TokenBuckets(rate=1, burst=1, clock=Clock())
    buckets.take("a")

    assert (buckets.take("b"), buckets.take("a")) == (0, 1)


def test_the_name_that_asked_longest_ago_is_forgotten_when_there_are_too_many() -> None:
    buckets = TokenBuckets(rate=1, burst=1, most=2, clock=Clock())
    for name in ("a", "b", "a", "c"):  # `a` asks again, in vain
        buckets.take(name)

    assert (len(buckets), buckets.wait("b"), buckets.wait("a")) == (2, 0, 1)
