/// The error of a failed call to the operating system.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the system call, such as `open`.
  public var call: String
  /// The path of the file or folder that was passed to the call.
  public var path: String
  /// The value of `errno` after the call.
  public var code: Int32

  /// Creates an error from a system call's name, the path passed to it, and the value of `errno`.
  public init(call: String, path: String, code: Int32) {
    (self.call, self.path, self.code) = (call, path, code)
  }

  public var description: String {
    // ENOENT of a call that creates a file or folder: the folder around it is missing.
    if code == 2, call == "create" || call == "mkdir" {
      return "\(path) cannot be created: there is no folder \(folder); create it first"
    }
    return "\(path): \(systemErrorText(code))"
  }

  /// The folder that contains the file.
  private var folder: String {
    var bytes = Array(path.utf8)
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return String(decoding: bytes[..<max(slash, 1)], as: UTF8.self)
  }
}
