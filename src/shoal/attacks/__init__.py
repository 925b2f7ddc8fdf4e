"""The attacks' room: re-identification tried against a known truth. It gives a rate, with an interval and a baseline.

Risk counts a worst case and needs no truth; an attack needs the truth. They never share a scale.
"""
