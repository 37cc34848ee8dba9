import unittest

from src.pages import pages


class PagesTest(unittest.TestCase):
    def test_a_started_page_counts(self):
        self.assertEqual(pages(11, 5), 3)

    def test_full_pages_and_none(self):
        self.assertEqual([pages(10, 5), pages(0, 5)], [2, 0])
