"""The investment committee: research, debate and judge composed into one decision, over their public interfaces."""
