"""How each library is asked; runs in the peers' environment, which knows nothing of mjsim.

A hand is a list of 34 counts (1–9m, 1–9p, 1–9s, 1–7z). ``prepare`` makes what the library takes of it, before the clock
starts. Wherever a library answers one hand a call, that is what is timed; where it takes many at once, many.
"""

import importlib
import random
from collections.abc import Callable
from typing import Any

Hand = list[int]

SUITS = "mpsz"
#: Steps after which a game is taken to hang.
ENDLESS = 5_000


def load(name: str) -> Any:
    """A module of a peer's, none of which the project itself has installed."""
    return importlib.import_module(name)


def kinds(hand: Hand) -> list[int]:
    """The kinds of a hand's tiles, ascending."""
    return [kind for kind, count in enumerate(hand) for _ in range(count)]


class Adapter:
    """A library as the comparison sees it; what it cannot do is missing from the three tables."""

    def __init__(self) -> None:
        self.complete: Callable[[list[Any]], list[bool]] | None = None
        self.shanten: Callable[[list[Any]], list[int]] | None = None
        self.players: dict[str, Callable[[int, int], int]] = {}

    def prepare(self, hands: list[Hand]) -> list[Any]:
        """What the library takes."""
        return hands


class Mahjong(Adapter):
    """``mahjong``: plain Python."""

    def __init__(self) -> None:
        super().__init__()
        shanten, agari = load("mahjong.shanten").Shanten.calculate_shanten, load("mahjong.agari").Agari.is_agari
        self.complete = lambda hands: [agari(hand) for hand in hands]
        self.shanten = lambda hands: [shanten(hand) for hand in hands]


class Xiangting(Adapter):
    """``xiangting``: Rust, by tables."""

    def __init__(self) -> None:
        super().__init__()
        module = load("xiangting")
        number, four = module.calculate_replacement_number, module.PlayerCount.FOUR
        self.complete = lambda hands: [number(hand, four) == 0 for hand in hands]
        self.shanten = lambda hands: [number(hand, four) - 1 for hand in hands]


class PyMahjongGB(Adapter):
    """``PyMahjongGB``: C++, the Chinese Official rules; a complete hand is found by counting its points."""

    def __init__(self) -> None:
        super().__init__()
        module = load("MahjongGB")
        self._count, regular, pairs = module.MahjongFanCalculator, module.RegularShanten, module.SevenPairsShanten
        orphans = module.ThirteenOrphansShanten
        self.complete = lambda hands: [self._is_complete(hand) for hand in hands]
        self.shanten = lambda hands: [min(regular(hand)[0], pairs(hand)[0], orphans(hand)[0]) for hand in hands]

    def prepare(self, hands: list[Hand]) -> list[Any]:
        """Tuples of names such as W1, B9, T5, F4, J3."""
        names = [f"{suit}{rank}" for suit in "WBT" for rank in range(1, 10)]
        names += [f"F{rank}" for rank in range(1, 5)] + [f"J{rank}" for rank in range(1, 4)]
        return [tuple(names[kind] for kind in kinds(hand)) for hand in hands]

    def _is_complete(self, hand: tuple[str, ...]) -> bool:
        try:
            self._count((), hand[:-1], hand[-1], 0, True, False, False, False, 0, 0)
        except TypeError as error:
            if "NOT_WIN" in str(error):
                return False
            raise
        return True


class Riichienv(Adapter):
    """``riichienv``: Rust, Japanese rules."""

    def __init__(self) -> None:
        super().__init__()
        self._module = load("riichienv")
        shanten = self._module.calculate_shanten
        self.complete = lambda hands: [shanten(hand) == -1 for hand in hands]
        self.shanten = lambda hands: [shanten(hand) for hand in hands]
        self.players = {"random": self._random, "efficiency": self._efficient}

    def prepare(self, hands: list[Hand]) -> list[Any]:
        """Tile numbers 0–135, four to a kind."""
        return [[4 * kind + copy for kind, count in enumerate(hand) for copy in range(count)] for hand in hands]

    def _random(self, deals: int, seed: int) -> int:
        agent = load("riichienv.agents").RandomAgent(seed)
        return sum(self._play(agent.act, seed + deal) for deal in range(deals))

    def _efficient(self, deals: int, seed: int) -> int:
        return sum(self._play(self._closest, seed + deal) for deal in range(deals))

    def _play(self, act: Callable[[Any], Any], seed: int) -> int:
        env = self._module.RiichiEnv(game_mode="4p-red-single", seed=seed)
        seen, steps = env.reset(), 0
        while not env.done():
            seen = env.step({player: act(each) for player, each in seen.items()})
            steps += len(seen)
        return steps

    def _closest(self, seen: Any) -> Any:
        """Win, else the discard that leaves the lowest shanten; claims nothing."""
        types, legal = self._module.ActionType, seen.legal_actions()
        for action in legal:
            if action.action_type in (types.TSUMO, types.RON):
                return action
        discards = [action for action in legal if action.action_type == types.DISCARD]
        if not discards:
            return next((action for action in legal if action.action_type == types.PASS), legal[0])
        shanten, hand = self._module.calculate_shanten, list(seen.hand)
        return min(discards, key=lambda action: shanten([tile for tile in hand if tile != action.tile]))


class Pymahjong(Adapter):
    """``pymahjong``: C++, Japanese rules; it plays, and gives away no evaluator."""

    def __init__(self) -> None:
        super().__init__()
        self._module = load("pymahjong")
        self.players = {"random": self._random}

    def _random(self, deals: int, seed: int) -> int:
        env, rng, steps = self._module.MahjongEnv(), random.Random(seed), 0
        for _ in range(deals):
            # Its own `reset(seed=...)` fails in 1.1.2: there is no such attribute of its table.
            env.reset()
            while not env.is_over():
                env.step(env.get_curr_player_id(), rng.choice(list(env.get_valid_actions())))
                steps += 1
        return steps


class Cmajiang(Adapter):
    """``cmajiang``: C++, Japanese rules."""

    def __init__(self) -> None:
        super().__init__()
        self._module = load("cmajiang")
        xiangting = self._module.xiangting
        self.complete = lambda hands: [xiangting(hand) == -1 for hand in hands]
        self.shanten = lambda hands: [xiangting(hand) for hand in hands]
        self.players = {"random": self._random, "efficiency": self._efficient}

    def prepare(self, hands: list[Hand]) -> list[Any]:
        """Its own hands, from text such as m123z1."""
        return [self._module.Shoupai(self._text(hand)) for hand in hands]

    def _text(self, hand: Hand) -> str:
        suits = [hand[:9], hand[9:18], hand[18:27], hand[27:]]
        ranks = ["".join(str(rank) * count for rank, count in enumerate(counts, 1)) for counts in suits]
        return "".join(suit + digits for suit, digits in zip(SUITS, ranks, strict=True) if digits)

    def _random(self, deals: int, seed: int) -> int:
        rng = random.Random(seed)
        self._module.set_seed(seed)
        return sum(self._play(lambda _, discards: rng.choice(discards)) for _ in range(deals))

    def _efficient(self, deals: int, seed: int) -> int:
        self._module.set_seed(seed)
        return sum(self._play(self._closest) for _ in range(deals))

    def _closest(self, hand: Any, discards: list[str]) -> str:
        """The discard that leaves the lowest shanten."""

        def left(tile: str) -> int:
            rest = hand.clone()
            rest.dapai(tile)
            return int(self._module.xiangting(rest))

        return min(discards, key=left)

    def _play(self, discard: Callable[[Any, list[str]], str]) -> int:
        """One deal with wins and no claims, by both players."""
        module = self._module
        status, message, game = module.Status, module.Message, module.Game()
        game.kaiju()
        for step in range(ENDLESS):
            if game.status in (status.HULE, status.PINGJU):
                return step
            if game.status in (status.ZIMO, status.GANGZIMO):
                me = game.lunban_player_id
                if game.allow_hule():
                    game.reply(me, message.HULE)
                else:
                    game.reply(me, message.DAPAI, discard(game.shoupai_(game.lunban), game.get_dapai()))
            elif game.status == status.DAPAI:
                for seat in range(4):
                    if seat != game.lunban and game.allow_hule(seat):
                        game.reply(game.player_id[seat], message.HULE)
            game.next()
        raise RuntimeError(f"a game that does not end, in state {game.status}")


class Rlcard(Adapter):
    """``rlcard``: plain Python; four melds win, a hand's sets are picked greedily."""

    def __init__(self) -> None:
        super().__init__()
        module = load("rlcard.games.mahjong")
        self._card, self._player = load("rlcard.games.mahjong.card").MahjongCard, module.Player
        judge = module.Judger(None).judge_hu
        self.complete = lambda hands: [bool(judge(hand)[0]) for hand in hands]
        self.players = {"random": self._random}

    def prepare(self, hands: list[Hand]) -> list[Any]:
        """Players who hold these cards."""
        names = [(suit, str(rank)) for suit in ("characters", "dots", "bamboo") for rank in range(1, 10)]
        names += [("winds", wind) for wind in ("east", "south", "west", "north")]
        names += [("dragons", dragon) for dragon in ("white", "green", "red")]
        made = []
        for hand in hands:
            player = self._player(0, None)
            player.hand = [self._card(*names[kind]) for kind in kinds(hand)]
            made.append(player)
        return made

    def _random(self, deals: int, seed: int) -> int:
        env = load("rlcard").make("mahjong", config={"seed": seed})
        env.set_agents([load("rlcard.agents").RandomAgent(num_actions=env.num_actions) for _ in range(4)])
        return sum(sum(map(len, env.run(is_training=False)[0])) for _ in range(deals))


class Mahjax(Adapter):
    """``mahjax``: JAX, here on the processor; many hands and many games in one call."""

    def __init__(self) -> None:
        super().__init__()
        self._jax, self._np = load("jax"), load("numpy")
        number = load("mahjax.no_red_mahjong.shanten").Shanten.number
        wins = load("mahjax.no_red_mahjong.hand").Hand.can_tsumo
        self._shanten, self._wins = (self._jax.jit(self._jax.vmap(each)) for each in (number, wins))
        self.complete = lambda hands: self._np.asarray(self._wins(hands[0])).astype(bool).tolist()
        self.shanten = lambda hands: self._np.asarray(self._shanten(hands[0])).astype(int).tolist()
        self.players = {"random": self._random, "efficiency": self._rule_based}
        self._games: dict[tuple[str, int], Any] = {}

    def prepare(self, hands: list[Hand]) -> list[Any]:
        """One array of all hands."""
        return [self._jax.numpy.asarray(self._np.array(hands, self._np.int32))]

    def _random(self, deals: int, seed: int) -> int:
        jax = self._jax

        def act(state: Any, key: Any) -> Any:
            scores = jax.numpy.where(state.legal_action_mask, 0.0, -jax.numpy.inf)
            return jax.random.categorical(key, scores)

        return self._play("random", act, deals, seed)

    def _rule_based(self, deals: int, seed: int) -> int:
        return self._play("efficiency", load("mahjax.no_red_mahjong.players").rule_based_player, deals, seed)

    def _play(self, name: str, act: Callable[[Any, Any], Any], deals: int, seed: int) -> int:
        """So many games side by side until all have ended; compiled once for each number of games."""
        jax = self._jax
        if (name, deals) not in self._games:
            env = load("mahjax").make("no_red_mahjong", round_mode="single")

            def games(key: Any) -> Any:
                state = jax.vmap(env.init)(jax.random.split(key, deals))

                def going(carry: Any) -> Any:
                    return ~carry[0].terminated.all() & (carry[2] < ENDLESS)

                def step(carry: Any) -> Any:
                    state, key, steps = carry
                    key, choice, chance = jax.random.split(key, 3)
                    action = jax.vmap(act)(state, jax.random.split(choice, deals))
                    return jax.vmap(env.step)(state, action, jax.random.split(chance, deals)), key, steps + 1

                return jax.lax.while_loop(going, step, (state, key, 0))[2]

            self._games[name, deals] = jax.jit(games)
        return int(self._games[name, deals](jax.random.PRNGKey(seed)))


ADAPTERS: dict[str, type[Adapter]] = {
    "mahjong": Mahjong,
    "xiangting": Xiangting,
    "PyMahjongGB": PyMahjongGB,
    "riichienv": Riichienv,
    "pymahjong": Pymahjong,
    "cmajiang": Cmajiang,
    "rlcard": Rlcard,
    "mahjax": Mahjax,
}
