"""The doors of a fan: holding places, paying for them, and having tickets."""
