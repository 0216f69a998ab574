"""What a fan carries to the door: codes, QR pictures and PDF tickets. Values in, bytes out.

Nothing here reads a row or the clock, so the same ticket gives the same bytes anywhere.
"""
