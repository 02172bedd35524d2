"""What can go wrong for a user: each error carries one clear message; the command line prints it and exits with 1."""


class MjsimError(Exception):
    """One clear message for the user; the command line prints it and exits with status 1."""


class RulesError(MjsimError, ValueError):
    """A ruleset, or a setting of one, that cannot be used. The message has one line for each thing that is wrong."""


class TilesError(MjsimError, ValueError):
    """Tiles that are written wrongly or cannot exist, such as five of a kind."""


class CaseError(MjsimError, ValueError):
    """A score case that cannot be a finished deal under its rules."""


class RunError(MjsimError):
    """A run or its folder that cannot be written, read or continued."""


class PlayerError(MjsimError):
    """A player that is unknown, cannot be compiled or did something illegal."""
