"""What staff run over all the house at once: the demo, the audit. Decides nothing itself."""
