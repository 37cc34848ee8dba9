"""One trial, looked at closely: a page for each tab."""
