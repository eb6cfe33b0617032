"""Measure, prove, diagnose: laws of games, proofs, players and matches, experiments, the doctor."""
