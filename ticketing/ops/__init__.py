"""What runs over all the house: demo, audit, ticker, roles of staff. Decides nothing itself."""
