"""Sentences that are computed from results."""
