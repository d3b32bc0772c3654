import FaultTesting
import Foundation
import Testing

/// The built command on disks without room or permission.
@Suite struct DiskTests {
  @Test("faults 6, 7: a command without room reports it, and continues when there is room")
  func fileSizeLimit() throws {
    let shell = try Shell()
    defer { shell.remove() }
    #expect(try shell.run("eventlog init l").code == 0)
    let full = try shell.run("prlimit --fsize=20000 eventlog import eventlogs/demo/*.jsonl --log l")
    #expect(full.code == 74)
    #expect(full.error.contains("File too large"), "\(full.error)")
    #expect(full.error.contains("l/0000000000000001.jsonl"))
    let verified = try shell.run("eventlog verify --log l --format json")
    #expect(verified.code == 0, "\(verified.error)")
    let again = try shell.run("eventlog import eventlogs/demo/*.jsonl --log l")
    #expect(again.code == 0, "\(again.error)")
    let count = try shell.run("eventlog verify --log l --format jsonl").output
    #expect(count.contains(#""events":300"#), "\(count)")
    let one = try shell.run(
      "prlimit --fsize=80770 eventlog do LogSend climb=x --as lena --log l; echo $?")
    #expect(one.output.hasSuffix("74\n"), "\(one)")
    #expect(try shell.run("eventlog do LogSend climb=x --as lena --log l").code == 0)
    #expect(try shell.run("eventlog verify --log l").code == 0)
  }

  @Test("faults 7: a full disk for checkpoints stops only the checkpoint")
  func checkpoint() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try shell.run("cp -r eventlogs/demo l && chmod -R u+w l")
    let full = try shell.run("prlimit --fsize=1000 eventlog checkpoint --log l")
    #expect(full.code == 73, "\(full)")
    #expect(full.error.contains("File too large"))
    #expect(try shell.run("ls l/checkpoints 2>/dev/null | grep -c tmp").output == "0\n")
    #expect(try shell.run("eventlog project followers --log l").code == 0)
  }

  @Test(
    "faults 22: a denied file is reported, and reading needs no write permission",
    .enabled(if: Shell.canChangeUser, "only root can run a command as somebody else"))
  func denied() throws {
    let shell = try Shell()
    defer { shell.remove() }
    _ = try shell.run("chmod 755 . && cp -rL eventlogs/demo l && rm -rf l/lock && chmod 755 l")
    _ = try shell.run("chmod 644 l/*.jsonl")
    let read = try shell.run("\(Shell.asNobody) eventlog project followers --log l")
    #expect(read.code == 0 && read.output.contains("300"), "\(read)")
    let write = try shell.run(
      "\(Shell.asNobody) eventlog do LogSend climb=x --as lena --log l")
    #expect(write.code == 66 && write.error.contains("Permission denied"), "\(write)")
    let make = try shell.run("\(Shell.asNobody) eventlog init l/new")
    #expect(make.code == 73 && make.error.contains("Permission denied"), "\(make)")
    _ = try shell.run("chmod 600 l/*.jsonl")
    let secret = try shell.run("\(Shell.asNobody) eventlog verify --log l")
    #expect(secret.code == 66 && secret.error.contains("Permission denied"), "\(secret)")
    #expect(try shell.run("ls l").output == "0000000000000001.jsonl\n", "nothing is created")
  }
}
