"""How fast, and at whose cost: `python -m tests.bench [FAMILY]`, or `make bench ONLY=hold`.

A family measures one thing through the real processes against a bare version of the same thing, in
one run on one machine: absolute figures drift from hour to hour, ratios do not. Both sides take
short turns one after the other, the warm-up is thrown away, medians are kept, and the CPU of every
process, the load generator's too, comes from the kernel. Figures are lines on the terminal and
`var/bench/latest.json`; `docs/benchmarks.md` says what they mean.
"""
