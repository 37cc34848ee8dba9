"""What differs between agents: what an adapter sets in the environment, and what it can say of a trial's use."""
