"""The utility room: what is left of the data. It compares two data sets, metric by metric, beside baselines."""
