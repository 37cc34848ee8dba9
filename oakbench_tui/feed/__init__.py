"""The background reader: watches a journal, folds it, and hands over frozen snapshots."""
