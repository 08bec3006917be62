"""Search-guided self-play: actors, replay buffer and learner."""
