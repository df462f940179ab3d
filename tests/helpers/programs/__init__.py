"""What tests run in a process of its own, under a tool, as another user or within limits: functions that
helpers.probes.in_python calls there by name."""
