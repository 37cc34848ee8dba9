"""`python -m oakbench_tui` is the same program as `oakbench-tui`."""

from oakbench_tui.cli.main import main

main()
