"""Text players, such as language models: functions from prompts to answers as agents."""
