/// A call to the operating system that failed.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  public var call: String
  public var path: String
  public var code: Int32

  public init(call: String, path: String, code: Int32) {
    self.call = call
    self.path = path
    self.code = code
  }

  public var description: String { "\(path): \(systemErrorText(code))" }
}
