import unittest

from src.cart import total


class CartTest(unittest.TestCase):
    def test_a_cart_that_was_never_filled_costs_nothing(self):
        self.assertEqual(total(None), 0)

    def test_a_filled_cart(self):
        self.assertEqual(total([2, 3]), 5)
