"""Other people's mahjong libraries beside mjsim, on the same hands and the same machine."""
