import pathlib
import unittest


class LockTest(unittest.TestCase):
    def test_the_stale_lock_is_gone(self):
        self.assertFalse(pathlib.Path("lock").exists())
