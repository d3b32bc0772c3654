import Foundation
import Testing

/// The permissions of the files and folders that the command creates, under the usual umask.
@Suite struct FileModeTests {
  /// Returns the permissions of everything below a folder, by path.
  private func modes(_ name: String, in shell: Shell) throws -> [String: Int] {
    let files = FileManager.default
    let root = shell.folder.appending(path: name).path
    var found: [String: Int] = [:]
    for path in [""] + (try files.subpathsOfDirectory(atPath: root)) {
      let attributes = try files.attributesOfItem(atPath: "\(root)/\(path)")
      found["\(name)/\(path)"] = (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    return found
  }

  private static let work = """
    umask 022
    eventlog import eventlogs/demo/*.jsonl --log LOG && eventlog checkpoint --log LOG &&
    eventlog do LogSend climb=x --as lena --log LOG && eventlog bookmark here --log LOG
    """

  @Test("A new log and its backup are their owner's alone")
  func newFolders() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let made = try shell.run(
      "umask 022; eventlog init l && " + Self.work.replacing("LOG", with: "l")
        + " && eventlog backup b --log l && eventlog restore b --log r")
    #expect(made.code == 0, "\(made)")
    for name in ["l", "b", "r"] {
      let found = try modes(name, in: shell)
      #expect(found.count > 2)
      for (path, mode) in found {
        let isFolder = path.hasSuffix("/") || !path.contains(".") && mode & 0o100 != 0
        #expect(mode == (isFolder ? 0o700 : 0o600), "\(path) has \(String(mode, radix: 8))")
      }
    }
  }

  @Test(
    "A file in an existing folder has the folder's permissions without those for execution",
    arguments: [0o750, 0o755, 0o770])
  func existingFolders(mode: Int) throws {
    let shell = try Shell()
    defer { shell.remove() }
    let octal = String(mode, radix: 8)
    let made = try shell.run(
      "mkdir l && chmod \(octal) l && eventlog init l && " + Self.work.replacing("LOG", with: "l"))
    #expect(made.code == 0, "\(made)")
    let found = try modes("l", in: shell)
    #expect(found["l/"] == mode)
    for name in ["0000000000000001.jsonl", "lock", "bookmarks"] {
      #expect(found["l/\(name)"] == mode & 0o666, "\(name)")
    }
    #expect(found["l/checkpoints"] == 0o700)
  }

  @Test("A file in a folder for everybody, such as /tmp, is its owner's alone")
  func sticky() throws {
    let shell = try Shell()
    defer { shell.remove() }
    let made = try shell.run(
      "mkdir t && chmod 1777 t && eventlog page --out t/page.html --log eventlogs/demo")
    #expect(made.code == 0, "\(made)")
    #expect(try modes("t", in: shell)["t/page.html"] == 0o600)
  }
}
