"""Holds for partners' programs, over the same services as the fans' pages."""
