from ucbpe_core.connect.optuna import GPUCBPESampler

__all__ = ["GPUCBPESampler"]
