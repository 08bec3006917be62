"""Players that read and write, such as language models: a function of text as an agent."""
