import unittest

from src.shapes import area, rim


class ShapesTest(unittest.TestCase):
    def test_area(self):
        self.assertEqual(area(3, 4), 12)

    def test_rim(self):
        self.assertEqual(rim(3, 4), 14)
