"""A Debian with nothing but git and make, in a folder that debootstrap fills; commands run in it by chroot."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from helpers.project import ROOT, finished, output_of

MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")

# Without these the tree would not reach the registries from where this machine does.
NETWORK_FILES = ("/etc/resolv.conf", "/etc/pip.conf", "/usr/local/share/ca-certificates")
CERTIFICATES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
NETWORK_VARIABLES = (
    *CERTIFICATES,
    *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"),
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST", "PIP_DEFAULT_TIMEOUT"),
)
APT_NETWORK = re.compile(r"Acquire::(https?|Check-\S+|ForceIPv\d|Retries)\b")

# The mounts are in a namespace of the command's own, and end with its last process. The tree is bound
# to itself because `unshare --propagation`, which the NFS server takes, needs a root that is a mount.
ENTER = """tree=$1; shift
mount --bind "$tree" "$tree" && mount -t proc proc "$tree/proc" && mount --rbind /dev "$tree/dev" &&
  mount --rbind /sys "$tree/sys" && exec chroot "$@" """


class BareDebian:
    """The tree of a release, as the README's `apt-get install git make` leaves it, and a user in it."""

    USER = "reader"

    def __init__(self, folder: Path, release: str):
        self.folder = folder
        self.release = release
        # A temporary folder is its owner's alone, but every user enters the root of a system.
        folder.chmod(0o755)
        command = ["debootstrap", "--variant=minbase", release, folder, MIRROR]
        done = finished(*command, timeout=1200)
        assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
        self._copy_network_configuration()
        self.succeed("apt-get", "update", "-q")
        self.succeed("apt-get", "install", "-y", "-q", "git", "make")
        self._copy_certificates()
        # What systemd makes at every start, from /usr/lib/tmpfiles.d/debian.conf.
        (folder / "etc/mtab").symlink_to("../proc/self/mounts")
        self.succeed("useradd", "--create-home", self.USER)

    def run(self, *command: str, user: str = "root", timeout: float = 1800):
        """The finished process of a command in the user's checkout; what it printed is all in stdout."""
        return subprocess.run(
            [*self._enter(user), *self._environment(user), *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
        )

    def succeed(self, *command: str, user: str = "root") -> str:
        """What the command printed, which must exit with 0."""
        done = self.run(*command, user=user)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-6000:]}"
        return done.stdout

    def checkout(self, user: str) -> Path:
        """The user's checkout, by its path on this machine."""
        return self.folder / self._home(user).lstrip("/") / "reckon"

    def clone(self, user: str) -> None:
        """Make the user's checkout: the last commit, and what was changed since in files of git."""
        checkout = self.checkout(user)
        output_of("git", "clone", "-q", "--no-local", ROOT, checkout)
        changes = output_of("git", "diff", "--binary", "HEAD", cwd=ROOT)
        if changes:
            output_of("git", "apply", cwd=checkout, input=changes)
        self.succeed("chown", "-R", f"{user}:{user}", f"{self._home(user)}/reckon")

    def packages(self) -> set[str]:
        """Every package that dpkg knows, with its state."""
        return set(self.succeed("dpkg", "--get-selections").splitlines())

    def scratch_files(self) -> list[Path]:
        """What measurements have left in the tree's folders for temporary files."""
        folders = (self.folder / "tmp", self.folder / "var/tmp")
        return [path for folder in folders for path in folder.glob("*reckon*")]

    def _home(self, user: str) -> str:
        return "/root" if user == "root" else f"/home/{user}"

    def _enter(self, user: str) -> list:
        in_tree = [f"--userspec={user}:{user}", self.folder]
        return ["unshare", "--mount", "sh", "-c", ENTER, "sh", self.folder, *in_tree]

    def _environment(self, user: str) -> list[str]:
        """`env` with a login's variables, those of the network, and the lock of this run of the tests."""
        home = self._home(user)
        inherited = (*NETWORK_VARIABLES, "RECKON_MACHINE_LOCK")
        variables = {name: os.environ[name] for name in inherited if name in os.environ}
        variables |= {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": home,
            "LANG": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
        }
        # Before there is a checkout, in the home.
        enter_checkout = f'cd {home}; [ ! -d reckon ] || cd reckon; exec "$@"'
        settings = [f"{name}={value}" for name, value in variables.items()]
        return ["env", "-i", *settings, "sh", "-c", enter_checkout, "sh"]

    def _copy_network_configuration(self) -> None:
        for path in map(Path, NETWORK_FILES):
            inside = self.folder / path.relative_to("/")
            if path.is_dir():
                shutil.copytree(path, inside, dirs_exist_ok=True)
            elif path.exists():
                shutil.copy(path, inside)
        if shutil.which("apt-config"):
            lines = output_of("apt-config", "dump", "Acquire").splitlines(keepends=True)
            settings = "".join(line for line in lines if APT_NETWORK.match(line))
            (self.folder / "etc/apt/apt.conf.d/99network").write_text(settings)

    def _copy_certificates(self) -> None:
        """Copy the files that the variables name, where the tree has no such file of its own."""
        for name in CERTIFICATES:
            path = os.environ.get(name)
            if path and not (self.folder / path.lstrip("/")).exists():
                inside = self.folder / path.lstrip("/")
                inside.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, inside)
