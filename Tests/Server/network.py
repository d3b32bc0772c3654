"""A private network of this process and its nodes, each in a network namespace, with a router that can drop packets."""
import os, subprocess, sys, time

MARK = "EVENTLOG_TEST_NETWORK"


def inside():
    """Returns whether this process is in namespaces of its own."""
    return MARK in os.environ


def run_inside(*arguments):
    """Runs this script again in namespaces of its own; returns its exit status.

    All of its processes, mounts and addresses disappear when it ends, however it ends. Needs root.
    """
    # The shell is the first process there: it also waits for orphans, which would stay as zombies otherwise.
    return subprocess.run(
        ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c",
         '"$@" & wait $!', "-", sys.executable, *arguments], env={**os.environ, MARK: "yes"}, check=False).returncode


def reason_against():
    """Returns the reason why this machine does not allow such a network; nothing if it does."""
    if os.getuid() != 0:
        return "only root may make network namespaces"
    tried = subprocess.run(["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "sh", "-c",
                            "ip link add name test0 type veth peer name test1 && ip rule add from 10.0.0.1 blackhole"],
                           capture_output=True, check=False)
    return tried.stderr.decode().strip().split("\n")[-1] if tried.returncode else ""


class Namespace:
    """A network namespace, which lives as long as a process that sleeps in it."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == own:
            time.sleep(0.005)
        self.enter = ["nsenter", "-t", str(self.holder.pid), "--net", "--"]
        self.run("ip", "link", "set", "lo", "up")

    def run(self, *command):
        subprocess.run([*self.enter, *command], check=True)


class Network:
    """A router, and the nodes that are connected to it. This process has the address `own`."""

    def __init__(self, own, addresses):
        self.router = Namespace()
        self.router.run("sysctl", "-qw", "net.ipv4.ip_forward=1")
        self.nodes = {}
        subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
        self._connect(own, None)
        for address in addresses:
            self.nodes[address] = Namespace()
            self._connect(address, self.nodes[address])

    def _connect(self, address, node):
        name = "to" + address.replace(".", "")[-9:]
        place = node.enter if node else []
        router = self.router.enter
        for command in (
                [*router, "ip", "link", "add", "name", name, "type", "veth", "peer", "name", "eth0", "netns",
                 str(node.holder.pid if node else os.getpid())],
                [*router, "ip", "link", "set", name, "up"],
                [*router, "ip", "route", "add", address + "/32", "dev", name],
                [*router, "sysctl", "-qw", f"net.ipv4.conf.{name}.proxy_arp=1"],
                [*place, "ip", "address", "add", address + "/32", "dev", "eth0"],
                [*place, "ip", "link", "set", "eth0", "up"],
                [*place, "ip", "route", "add", "default", "dev", "eth0"]):
            subprocess.run(command, check=True)

    def cut(self, one, others=None):
        """Drops the packets between an address and others, or all others, in both directions."""
        self._rules("add", one, others)

    def mend(self, one, others=None):
        """Ends a cut that was made with the same arguments."""
        self._rules("del", one, others)

    def _rules(self, verb, one, others):
        for pair in ([["from", one], ["to", one]] if others is None else
                     [rule for other in others
                      for rule in (["from", one, "to", other], ["from", other, "to", one])]):
            self.router.run("ip", "rule", verb, *pair, "blackhole")
