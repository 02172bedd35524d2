"""The seeded faults: where, what stands there, what is put in its place, and the tests that must notice."""

from typing import Final, NamedTuple

SCORE: Final = ("tests/test_settlement_corners.py", "tests/test_score.py")
MADE: Final = ("tests/test_made_deals.py",)
REFEREE: Final = tuple(
    f"tests/test_referee.py::test_referee_agrees[{rules}-random-0]"
    for rules in ("liuzhou", "nanning_folk", "nanning_laiyouxi")
)
PLAYED: Final = (*MADE, *REFEREE)


class Mutant(NamedTuple):
    """One fault; tests of kernels run with the JIT off, since a fault would compile them all anew."""

    file: str
    text: str
    fault: str
    tests: tuple[str, ...]
    jit: bool = False


def _mutants(file: str, tests: tuple[str, ...], *faults: tuple[str, str], jit: bool = False) -> list[Mutant]:
    return [Mutant(file, text, fault, tests, jit) for text, fault in faults]


MUTANTS: Final = (
    # --- rules
    *_mutants(
        "mjsim/rules/packed.py",
        SCORE,
        ('words.giver_pays_all = win.payer == "giver"', 'words.giver_pays_all = win.payer != "giver"'),
        (
            "words.third_to_maker = liability.third_to_maker if liability.third_party else 0",
            "words.third_to_maker = liability.third_to_maker",
        ),
        ("words.units[row] = units.self_draw, units.discard", "words.units[row] = units.discard, units.self_draw"),
        ("_prices(ordinary, ordinary, given.special", "_prices(ordinary, given.special, given.special"),
        (
            "words.concealed_ordinary = NO_PRICE if win.concealed_ordinary",
            "words.concealed_ordinary = 0 if win.concealed_ordinary",
        ),
    ),
    *_mutants(
        "mjsim/rules/model.py",
        ("tests/test_rules.py",),
        ("hand = 3 * 3 * self.largest_share()", "hand = 3 * self.largest_share()"),
        ("return (hand + kongs) * (1 + fish)", "return hand * (1 + fish) + kongs"),
        ("units += event.largest_units()", "units += event.units"),
    ),
    *_mutants(
        "mjsim/rules/settings.py",
        ("tests/test_rules.py",),
        ("if len(ending) == 1:", "if ending:"),
        ("merge_tables(data[name], value, label, origins, path)", "data[name] = value"),
    ),
    # --- worth and settlement
    *_mutants(
        "mjsim/worth.py",
        SCORE,
        ("for _ in range(1, units):", "for _ in range(units):"),
        ("special = packed.SPECIAL if units > 0 else 0", "special = packed.SPECIAL if units > 1 else 0"),
        ("factor *= rules.event_factor[event]", "factor = rules.event_factor[event]"),
        ("times = tally.chain_length if rules.event_per_kong[event] != 0 else 1", "times = 1"),
        ("return tally.chain_length - 1\n", "return np.int64(0)\n"),
        (
            "if melded_twice and rules.melded_discard_stacks == 0:",
            "if melded_twice and rules.melded_discard_stacks != 0:",
        ),
        ("if share >= best_share or not has_three_pungs_in_a_row(hand):", "if share > best_share:"),
        ("best_share = rules.event_fixed[event]", "best_share = max(best_share, rules.event_fixed[event])"),
        ("mode = np.int64(DISCARD_MODE)\n    units += event_units", "pass\n    units += event_units"),
    ),
    *_mutants(
        "mjsim/settle.py",
        SCORE,
        ("worth = share * (1 + hits)", "worth = share * max(1, hits)"),
        ("worth = 3 * worth\n", "worth = 2 * worth\n"),
        ("pay(result, kong_giver, winner, 3 * worth, HAND)", "pay(result, kong_giver, winner, worth, HAND)"),
        ("if fed >= rules.liability_melds:", "if fed > rules.liability_melds:"),
        ("own.meld_kind[meld] != CHOW_MELD or rules.liability_chow != 0", "own.meld_kind[meld] != CHOW_MELD"),
        ("elif not tally.winners >> giver & 1:", "else:"),
        ("elif giver == tally.giver and not tally.winners >> maker & 1:", "elif giver == tally.giver:"),
        ("(doubled * (1 + rules.giver_to_maker) - 1) * worth", "doubled * rules.giver_to_maker * worth"),
        (
            "doubled * rules.self_draw_liability * worth, LIABILITY)\n    for",
            "rules.self_draw_liability * worth, LIABILITY)\n    for",
        ),
        ("spared = 3 * worth if payer == kong_giver else 0", "spared = worth if payer == kong_giver else 0"),
        ("elif kind >= DIRECT_KONG:", "elif kind == DIRECT_KONG:"),
        (
            "pay(result, (seat + offset) & 3, seat, rules.kong_concealed, KONG)",
            "pay(result, (seat + offset) & 3, seat, rules.kong_exposed, KONG)",
        ),
        ("pay(result, owner, other, -won, FISH)", "pay(result, other, owner, -won, FISH)"),
        ("target = (deal.table.dealer + SEAT_OFFSET_ARRAY[tile]) & 3", "target = SEAT_OFFSET_ARRAY[tile] & 3"),
        ("return sealed and rules.giver_may_win == 0", "return sealed and rules.giver_may_win != 0"),
    ),
    *_mutants(
        "mjsim/hands/types.py",
        SCORE,
        ("count(hand.twos) + 2 * count(hand.fours) == 7", "count(hand.twos) + count(hand.fours) == 7"),
        ("SEVEN_PAIRS | QUADS_1 << np.uint64(quads - 1)", "SEVEN_PAIRS | QUADS_1"),
    ),
    # --- the deal
    *_mutants(
        "mjsim/deal/moves.py",
        PLAYED,
        ("if table.left <= rules.tiles_left:", "if table.left < rules.tiles_left:"),
        ("        tile = np.int64(wall.tiles[wall.back])", "        tile = np.int64(wall.tiles[wall.back - 1])"),
        ("    deal.seats[seat].locked = ZERO\n    deal.tally.draws", "    deal.tally.draws"),
        (
            "lengthen_chain(deal, ADDED_KONG, tile, pung_giver(deal, seat, tile))",
            "lengthen_chain(deal, ADDED_KONG, tile, NONE)",
        ),
        ("if tally.winners & (tally.winners - 1) != 0:", "if tally.winners == 0:"),
        ("lowest_tile = tile - 2", "lowest_tile = tile - 1"),
    ),
    *_mutants(
        "mjsim/deal/moves.py",
        ("tests/plain_kernels.py::test_the_referee_agrees",),
        ("        if not has(taken, label):", "        if has(taken, label):"),
    ),
    *_mutants(
        "mjsim/deal/options.py",
        PLAYED,
        ("if rules.chow != 0 and seat == (table.giver + 1) & 3:", "if rules.chow != 0:"),
        ("if table.last_tile == 0 or rules.last_tile_claims != 0:", "if True:"),
        ("rules.rob_kong != 0 and (rules.rob_after_concealed != 0 or not concealed)", "rules.rob_kong != 0"),
        ("if locked or is_sealed(", "if is_sealed("),
        (
            "if table.drew != 0 and table.last_tile == 0 and replacement_left(deal):",
            "if table.drew != 0 and replacement_left(deal):",
        ),
        ("seat != table.dealer and table.claimed == 0 and", "seat != table.dealer and"),
        ("outcome == DISCARD_WIN and table.discard_count == 1", "outcome == DISCARD_WIN"),
    ),
    *_mutants(
        "mjsim/deal/play.py",
        PLAYED,
        ("if kind > claim and kind != WIN:", "if kind >= claim and kind != WIN:"),
        ("        if tally.winners != 0 and rules.multiple_winners == 0:\n            continue\n", ""),
        ("    deal.tally.chain_length = 0\n    table.chain_length = 0\n    if claimer", "    if claimer"),
        ("            if rules.pass_lock != 0:\n", "            if rules.pass_lock == 0:\n"),
        ("    deal.tally.robbed = 1\n", ""),
        ("    return tally.giver\n", "    return deal.table.dealer\n"),
    ),
    # --- the analysis
    *_mutants(
        "analysis/estimates/intervals.py",
        ("tests/test_intervals.py",),
        ("NormalDist().inv_cdf((1 + confidence) / 2)", "NormalDist().inv_cdf(confidence)"),
        (
            "(self.n * self.xx - self.x**2) / (self.n * (self.n - 1))",
            "(self.n * self.xx - self.x**2) / (self.n * self.n)",
        ),
        ("return float(1 - (1 - confidence) ** (1 / n))", "return float(3.5 / n)"),
        ("RARE: Final = 3", "RARE: Final = 30"),
        ("return self.xx * self.y**2 - 2 * self.xy", "return self.xx * self.y**2 - self.xy"),
        jit=True,
    ),
    *_mutants(
        "analysis/estimates/sequences.py",
        ("tests/test_sequences.py", "analysis/estimates/sequences.py"),
        ("return self.error / max(self.statements, 1)", "return self.error"),
        ("- log(scaled + 1) / 2", "- log(scaled + 1)"),
        jit=True,
    ),
    *_mutants(
        "analysis/counts/measures.py",
        ("tests/test_aggregate.py",),
        ('"three_winners": found["wins"] == 3', '"three_winners": found["wins"] >= 2'),
        ('won & deals["self_draw"]', 'won & ~deals["self_draw"]'),
        ('gave & deals["discard"]', 'gave & ~deals["self_draw"]'),
        ("np.square(hand + kongs)", "np.square(hand)"),
        ('(deals["winners"] == 0) != deals["drawn"]', '(deals["winners"] == 0) == deals["drawn"]'),
        jit=True,
    ),
    *_mutants(
        "analysis/counts/fish_measures.py",
        ("tests/test_aggregate.py",),
        ('found[at("fish_won", seat)] - cost', 'found[at("fish_won", seat)] + cost'),
        ("tiles * (tiles - small(tiles > 0)) // 2", "tiles * tiles // 2"),
        (
            '        return deals[f"flow_{winner}{loser}"]\n    return -deals',
            '        return deals[f"flow_{winner}{loser}"]\n    return deals',
        ),
        jit=True,
    ),
)
