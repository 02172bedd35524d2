"""The jitted deal: `play` is its course, `options` what is legal, `moves` what an action does, `log` the events."""
