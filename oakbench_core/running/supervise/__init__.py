"""The program that is exec'd once for a run: a fork server, and in each of its children the supervisor of one trial.

It is started without the packages around it (`python -I -S`), so its modules import the standard library and, by
relative names, each other. The runner's side of it is `oakbench_core.running.supervisor`.
"""
