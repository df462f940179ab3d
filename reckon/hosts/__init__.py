"""The other hosts of an experiment: the lab host made up in this machine, a real peer, the NFS server."""
