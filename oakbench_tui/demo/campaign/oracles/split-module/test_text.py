import unittest

from src import site, text


class TextTest(unittest.TestCase):
    def test_slug_lives_in_its_new_module(self):
        self.assertEqual(text.slug("A small  Title"), "a-small-title")

    def test_the_old_import_still_works(self):
        self.assertIs(site.slug, text.slug)
        self.assertEqual(site.title(" a b "), "A B")
