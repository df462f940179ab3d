"""The other hosts of an experiment: the lab host in this machine, a real peer, the NFS server."""
