"""Saved baselines (ADR-0009): rows of the command lanes, populations, Baseline Books, scorecards, statistics."""
