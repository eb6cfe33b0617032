"""Exact answers: positions solved, and lines of play counted."""
