"""The jitted deal: `play` is the course of a deal, `options` what is legal, `moves` what an action does, `log` the events."""
