"""Names of agents: from the text of a spec to an agent.

`grammar` splits text. `tables` has the agents that a name can mean, and `game_folders` finds those
of one game. `spec` has `Spec`, the value of a text for one game. `user_code` guards code of the
user.
"""
