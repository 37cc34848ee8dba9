"""What the console shows, as plain data: lines of text with the names of their styles. No Textual."""
