"""How good the answers are: goldsets, metrics, comparison with a baseline, the gate and the report."""
