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

  public var description: String { "\(path): \(systemErrorText(code))" }
}
