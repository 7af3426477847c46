"""Alarms into a chat: a receiver of the webhook that verifies the signature and forwards to Slack or Feishu."""
