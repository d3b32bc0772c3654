"""A PostgreSQL server for tests, on a free port of the loopback address."""
import glob, os, shutil, signal, socket, subprocess, sys, time

as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []


class PostgreSQL:
    """A PostgreSQL server of the test's own, not as root. Without settings, it does not sync its files.

    With a primary, it is that server's streaming standby, until `promote`.
    """

    def __init__(self, folder, name="postgres", port=None, primary=None, **settings):
        found = shutil.which("initdb") or next(iter(sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))[-1:]), None)
        if not found:
            sys.exit("initdb is not installed")
        self.programs = os.path.dirname(os.path.realpath(found))
        self.folder = os.path.join(folder, name)
        self.data = os.path.join(self.folder, "data")
        self.settings = {"listen_addresses": "127.0.0.1", **(settings or {"fsync": "off"})}
        os.mkdir(self.folder)
        if as_nobody:
            os.chmod(folder, 0o711)
            os.chown(self.folder, 65_534, 65_534)
        create = ["/initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"]
        if primary:
            create = ["/pg_basebackup", "-d", primary.address(), "-R", "-c", "fast"]
        subprocess.run([*as_nobody, self.programs + create[0], *create[1:], "-D", self.data], check=True,
                       stdout=subprocess.DEVNULL, cwd=self.folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = port or free.getsockname()[1]
        self.start()

    def start(self):
        flags = [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        with open(os.path.join(self.folder, "log"), "a") as log:
            self.process = subprocess.Popen(
                [*as_nobody, self.programs + "/postgres", "-D", self.data, "-p", str(self.port), "-k", self.folder,
                 *flags], stderr=log, stdout=log, cwd=self.folder)
        ready = [self.programs + "/pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        for _ in range(600):
            if subprocess.run(ready, check=False).returncode == 0:
                return
            time.sleep(0.05)
        self.stop()
        sys.exit("PostgreSQL did not start")

    def address(self, database="postgres"):
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def lines(self, statements):
        """Performs statements in one session; returns the lines of their results."""
        run = subprocess.run(
            [self.programs + "/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", self.address()],
            input=("SET timezone = 'UTC';\n" + statements).encode(),
            env={**os.environ, "PGCLIENTENCODING": "UTF8"}, capture_output=True, check=False)
        if run.returncode:
            sys.exit(f"PostgreSQL: {run.stderr.decode()[-2_000:]} in {statements[:500]}")
        return run.stdout.decode().split("\n")[:-1]

    def stop_immediately(self):
        subprocess.run([*as_nobody, self.programs + "/pg_ctl", "stop", "-m", "immediate", "-s", "-D", self.data],
                       check=True, cwd=self.folder)
        self.process.wait()

    def promote(self):
        subprocess.run([*as_nobody, self.programs + "/pg_ctl", "promote", "-w", "-s", "-D", self.data], check=True,
                       cwd=self.folder)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        self.process.wait()


class Pooler:
    """pgbouncer in transaction mode, in front of a test's own server."""

    program = shutil.which("pgbouncer", path=os.environ.get("PATH", "") + ":/usr/sbin")

    def __init__(self, server):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        settings = os.path.join(server.folder, "pgbouncer.ini")
        with open(settings, "w") as file:
            file.write(f"[databases]\n* = host=127.0.0.1 port={server.port} user=postgres\n"
                       f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\nunix_socket_dir =\n"
                       "auth_type = any\npool_mode = transaction\ndefault_pool_size = 4\n"
                       "ignore_startup_parameters = extra_float_digits\n")
        with open(os.path.join(server.folder, "pooler-log"), "w") as log:
            self.process = subprocess.Popen([*as_nobody, self.program, settings], stdout=log, stderr=log)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.05)
        sys.exit("pgbouncer did not start")

    def address(self, database="postgres"):
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def stop(self):
        self.process.terminate()
        self.process.wait()
