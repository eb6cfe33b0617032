"""The web app: games in a browser on this machine, analysed while they are played. Nothing leaves
the machine.
"""
