"""Masking policies: how willingly each token of an instance is masked.

Token i is masked iff u_i < alpha * weight_i, with the uniform numbers u of `zarpipe.task.draws`. So masks of
a policy are nested in alpha, and a policy with smaller weights masks a part of what one with larger weights
masks. The target predicate is protected last, whatever its weight.

A built-in policy is a module with a model ``Options`` and a function ``weights(tokens, options) -> [N]``, and
a line in `zarpipe.config.policies.POLICIES`. A user's own is a function in a file
(`zarpipe.augment.policies.own`).
"""
