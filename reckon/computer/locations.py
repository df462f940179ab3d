"""Where probes find the hosts and files that they need, as the environment names them."""

from __future__ import annotations

from reckon import config

# The variables in which a parent or a user may name a location, by the probes' name for it
# (rk_location() in csrc/probe/probe.h).
VARIABLES = {
    "peer": "RECKON_PEER_AT",
    "peer_token": "RECKON_PEER_TOKEN",
    "peer_process": "RECKON_PEER_SPACE",
    "nfs": "RECKON_NFS_AT",
    "nfs_process": "RECKON_NFS_SPACE",
    "nfs_library": "RECKON_NFS_LIBRARY",
    "files": "RECKON_FILES",
}


def named_locations() -> dict[str, str]:
    """The scratch folder, and the locations that the environment names."""
    environment = config.child_environment()
    stated = {name: environment.get(variable, "") for name, variable in VARIABLES.items()}
    scratch = {"scratch": str(config.settings().scratch_dir)}
    return scratch | {name: location for name, location in stated.items() if location}
