"""Bulk reading: stored outputs of models by the million, killed and resumed, and an old parser beside the new one."""
