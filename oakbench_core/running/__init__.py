"""The only code that reads a clock, starts a process, or touches files other than plan, journal and documents."""
