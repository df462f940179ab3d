"""A file system that shows a folder, and whose disk fails: `python failing_disk.py FOLDER CALL` mounts it
there; write(2) or fsync(2), whichever CALL names, reports EIO for every file.
"""

import os
import stat
import struct
import sys

from helpers.programs import fuse

ROOT, NO_SUCH_CALL, EIO = 1, 38, 5
LOOKUP, GETATTR, SETATTR, MKDIR, UNLINK, RMDIR, RENAME = 1, 3, 4, 9, 10, 11, 12
LINK, OPEN, READ, WRITE, STATFS, RELEASE, FSYNC, FLUSH = 13, 14, 15, 16, 17, 18, 20, 25
OPENDIR, READDIR, RELEASEDIR, FSYNCDIR, ACCESS, CREATE, RENAME2 = 27, 28, 29, 30, 34, 35, 45
FAILING = {"write": WRITE, "fsync": FSYNC}
NOTHING = (RELEASE, FLUSH, RELEASEDIR, FSYNC, FSYNCDIR, ACCESS)
SIZE_IS_SET, MODE_IS_SET = 1 << 3, 1 << 0


class Folder:
    """The requests, answered by what is below the folder as it was before the mount."""

    def __init__(self, base):
        self._paths = {ROOT: f"/proc/self/fd/{os.open(base, os.O_RDONLY)}"}  # below the mount

    def _node(self, path):
        return next((node for node, known in self._paths.items() if known == path), None)

    def _attributes(self, node):
        is_root = node == ROOT
        status = os.stat(self._paths[node]) if is_root else os.lstat(self._paths[node])
        times = (status.st_atime, status.st_mtime, status.st_ctime)
        return fuse.attributes(node, status.st_mode, status.st_size, times)

    def _entry(self, path):
        os.lstat(path)
        node = self._node(path)
        if node is None:
            node = 1 + max(self._paths)
            self._paths[node] = path
        return fuse.entry(node, self._attributes(node))

    def _names(self, node, body):
        """The paths of the names at the end of a request."""
        return [f"{self._paths[node]}/{os.fsdecode(name)}" for name in body.split(b"\0")[:-1]]

    def _moved(self, old, new):
        os.rename(old, new)
        for node, path in [*self._paths.items()]:
            if path == new:
                self._paths[node] = f"{new} (gone)"
            elif path == old or path.startswith(f"{old}/"):
                self._paths[node] = new + path[len(old) :]
        return b""

    def _list(self, node, body):
        _, offset, size = struct.unpack_from("QQI", body)
        names, listed = [".", "..", *sorted(os.listdir(self._paths[node]))], b""
        for place, name in enumerate(names[offset:], offset + 1):
            raw = os.fsencode(name)
            one = struct.pack("QQII", 1, place, len(raw), 0) + raw
            one += bytes(-len(one) % 8)
            if len(listed) + len(one) > size:
                break
            listed += one
        return listed

    def _set(self, node, body):
        valid, _, _, size = struct.unpack_from("IIQQ", body)
        if valid & SIZE_IS_SET:
            os.truncate(self._paths[node], size)
        if valid & MODE_IS_SET:
            (mode,) = struct.unpack_from("I", body, 68)
            os.chmod(self._paths[node], stat.S_IMODE(mode))
        return struct.pack("Q2I", 0, 0, 0) + self._attributes(node)

    def _read(self, node, body):
        _, offset, size = struct.unpack_from("QQI", body)
        with open(self._paths[node], "rb") as file:
            file.seek(offset)
            return file.read(size)

    def _write(self, node, body):
        _, offset, size = struct.unpack_from("QQI", body)
        with open(self._paths[node], "r+b") as file:
            file.seek(offset)
            file.write(body[40 : 40 + size])
        return struct.pack("2I", size, 0)

    def _create(self, node, body):
        mode = struct.unpack_from("4I", body)[1]
        (path,) = self._names(node, body[16:])
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, stat.S_IMODE(mode)))
        return self._entry(path) + struct.pack("Q2I", 0, 0, 0)

    def _linked(self, node, body):
        (old,) = struct.unpack_from("Q", body)
        (path,) = self._names(node, body[8:])
        os.link(self._paths[old], path)
        return self._entry(path)

    def _renamed(self, node, body, begin):
        (to,) = struct.unpack_from("Q", body)
        old, new = body[begin:].split(b"\0")[:2]
        return self._moved(*self._names(node, old + b"\0"), *self._names(to, new + b"\0"))

    def answer(self, opcode, node, body):
        """The bytes of the reply."""
        if opcode in (LOOKUP, UNLINK, RMDIR):
            (path,) = self._names(node, body)
            if opcode == LOOKUP:
                return self._entry(path)
            return (os.unlink if opcode == UNLINK else os.rmdir)(path) or b""
        if opcode == MKDIR:
            (path,) = self._names(node, body[8:])
            os.mkdir(path, stat.S_IMODE(struct.unpack_from("I", body)[0]))
            return self._entry(path)
        if opcode == GETATTR:
            return struct.pack("Q2I", 0, 0, 0) + self._attributes(node)
        if opcode in (OPEN, OPENDIR):
            return struct.pack("Q2I", 0, 0, 0)
        if opcode == STATFS:
            whole = os.statvfs(self._paths[ROOT])
            blocks = (whole.f_blocks, whole.f_bfree, whole.f_bavail, whole.f_files, whole.f_ffree)
            return struct.pack("5Q10I", *blocks, whole.f_bsize, 255, whole.f_frsize, *7 * [0])
        if opcode in (RENAME, RENAME2):
            return self._renamed(node, body, 8 if opcode == RENAME else 16)
        if opcode in NOTHING:
            return b""
        others = {
            SETATTR: self._set,
            READ: self._read,
            WRITE: self._write,
            CREATE: self._create,
            READDIR: self._list,
            LINK: self._linked,
        }
        if opcode not in others:
            raise OSError(NO_SUCH_CALL, "no such call")
        return others[opcode](node, body)


def main(folder, call):
    shown = Folder(folder)

    def answer(opcode, node, body):
        if opcode == FAILING[call]:
            return EIO, b""
        try:
            return 0, shown.answer(opcode, node, body)
        except OSError as error:
            return error.errno, b""

    fuse.serve(folder, answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
