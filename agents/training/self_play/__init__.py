"""Search-guided self-play, with actors, a replay buffer and a learner."""
