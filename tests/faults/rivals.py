"""Two runs at once on the same targets: what is there afterwards is all of one of them."""

from faults import judges
from faults.copies import Run
from faults.ground import spell_old


def let_runs_meet(ground, tally, times=6):
    """Start two runs with different seeds at nearly the same time."""
    for one in ground.writing:
        both = {seed: ground.measure(one, seed).files for seed in (1, 2)}
        for _ in range(times):
            force = ground.rng.random() < 0.5
            old = one.outputs if force and ground.rng.random() < 0.5 else ()
            place, later = ground.clear(old), ground.rng.choice((0, ground.rng.random()))
            base = ground.measure(one)
            more = ["--force"] if force else []
            first = Run([*one.arguments, *more], place, seed=1)
            first.wait_until(lambda run=first, at=later * base.processor: run.measure() >= at)
            second = Run([*one.arguments, *more], place, seed=2, said="said-2")
            ended = first.end(alone=False), second.end()
            told = f"{one.title}, {'--force' if force else 'new files'}, {later:.2f} later"
            tally.count("two runs at once", told, _judge(ground, one, place, old, both, ended, force))


def _judge(ground, one, place, old, both, ended, force):
    for each in ended:
        yield from judges.judge_words(each)
    codes = [each.code for each in ended]
    if set(codes) - {0, 2} or (2 in codes and 0 not in codes and not _say_why(ended)):
        yield f"they ended with {codes}: {[each.said.strip()[-200:] for each in ended]}"
    found = ground.see(place)
    before = {name: spell_old(name) for name in old}
    there = [seed for seed, files in both.items() if all(found.get(name) == files[name] for name in files)]
    if 0 in codes and not there:
        states = {
            name: next((seed for seed in both if found.get(name) == both[seed][name]), "neither") for name in both[1]
        }
        yield f"mixed: {states}"
    if 0 not in codes:
        yield from judges.judge_outputs(found, both[1], before)
    if codes == [0, 0] and not force and both[1] != both[2]:
        yield "one run overwrote the files of the other without --force"
    yield from judges.judge_leftovers(found, both[1], before, one.keeps)
    yield from ground.judge_secrets(one, place, old)


def _say_why(ended):
    return all("another run" in each.said or "could not be written" in each.said for each in ended)
