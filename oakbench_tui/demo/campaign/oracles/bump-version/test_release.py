import unittest

from src.release import version


class ReleaseTest(unittest.TestCase):
    def test_the_version_is_the_new_one(self):
        self.assertEqual(version(), "1.1.0")
