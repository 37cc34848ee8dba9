import pathlib
import unittest

from src.greeting import greet


class GreetingTest(unittest.TestCase):
    def test_the_new_name_greets(self):
        self.assertEqual(greet("Ada"), "Hello, Ada.")

    def test_the_old_file_is_gone(self):
        self.assertFalse(pathlib.Path("src/hello.py").exists())
