"""A PostgreSQL server for tests, on a free port of the loopback address."""
import glob, os, shutil, socket, subprocess, sys, time

as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []


class PostgreSQL:
    """A PostgreSQL server of the test's own, not as root."""

    def __init__(self, folder):
        found = shutil.which("initdb") or next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))[-1:]), None)
        if not found:
            sys.exit("initdb is not installed")
        self.programs = os.path.dirname(os.path.realpath(found))
        self.folder = os.path.join(folder, "postgres")
        os.mkdir(self.folder)
        if as_nobody:
            os.chmod(folder, 0o711)
            os.chown(self.folder, 65_534, 65_534)
        data = os.path.join(self.folder, "data")
        subprocess.run([*as_nobody, self.programs + "/initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E",
                        "UTF8", "--locale=C.UTF-8", "-N"], check=True, stdout=subprocess.DEVNULL, cwd=self.folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with open(os.path.join(self.folder, "log"), "w") as log:
            self.process = subprocess.Popen(
                [*as_nobody, self.programs + "/postgres", "-D", data, "-p", str(self.port), "-k", self.folder, "-F",
                 "-c", "listen_addresses=127.0.0.1"], stderr=log, stdout=log, cwd=self.folder)
        for _ in range(300):
            if subprocess.run([self.programs + "/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)],
                              check=False).returncode == 0:
                return
            time.sleep(0.1)
        self.stop()
        sys.exit("PostgreSQL did not start")

    def lines(self, statements):
        """Performs statements; returns the lines of their results."""
        path = os.path.join(os.path.dirname(self.folder), "statements.sql")
        with open(path, "w") as file:
            file.write("SET timezone = 'UTC';\n" + statements)
        run = subprocess.run(
            [self.programs + "/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U",
             "postgres", "-d", "postgres", "-f", path], env={**os.environ, "PGCLIENTENCODING": "UTF8"},
            capture_output=True, check=False)
        if run.returncode:
            sys.exit("PostgreSQL: " + run.stderr.decode()[-2_000:])
        return run.stdout.decode().split("\n")[:-1]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(2)
        self.process.wait()
