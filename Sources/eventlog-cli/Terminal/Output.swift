/// Standard output, buffered and safe to use from any thread, and standard error, unbuffered.
///
/// After a failed write, later output is ignored, `isBroken` is true, and `flush` throws. If
/// standard output is a pipe and its reader has ended, the process ends at once, like `cat`.
enum Output {
  private static let buffer = Mutex(Buffer())

  static func write(_ text: String) {
    var text = text
    text.withUTF8 { write(bytes: $0) }
  }

  static func line(_ text: String) {
    write(text + "\n")
  }

  /// Writes bytes to standard output.
  /// - Complexity: one copy of the bytes; none for 64 KiB or more.
  static func write(bytes: some Collection<UInt8>) {
    let done: Void? = bytes.withContiguousStorageIfAvailable { bytes in
      buffer.withLock { $0.append(bytes) }
    }
    if done == nil {
      Array(bytes).withUnsafeBufferPointer { bytes in buffer.withLock { $0.append(bytes) } }
    }
  }

  /// Writes text for programs. On a terminal, escapes characters that could move its cursor or
  /// reorder a line, such as `\u009b`. In JSON, the escaped form has the same meaning.
  static func data(_ text: String) {
    write(Terminal.isOutputTTY ? escaped(text) : text)
  }

  /// Writes UTF-8 text for programs. On a terminal, escapes characters like the other `data`
  /// function. Elsewhere, writes the bytes without decoding them.
  static func data(bytes: [UInt8]) {
    Terminal.isOutputTTY ? data(String(decoding: bytes, as: UTF8.self)) : write(bytes: bytes)
  }

  /// Writes the buffered bytes to standard output.
  /// - Throws: exit 74 with the first write error since the program began.
  static func flush() throws(Failure) {
    let code = buffer.withLock { buffer in
      buffer.flush()
      return buffer.errorNumber
    }
    if code != 0 {
      throw Failure(.inputOutput, "standard output: \(systemError(code))")
    }
  }

  /// Whether a write has failed, so that a long-running producer can stop early.
  static var isBroken: Bool {
    buffer.withLock { $0.errorNumber != 0 }
  }

  /// Writes to standard error at once; failures are ignored.
  static func error(_ text: String) {
    var text = text
    if Terminal.isOutputTTY { buffer.withLock { $0.flush() } }
    text.withUTF8 { _ = writeAll($0, to: STDERR_FILENO) }
  }

  /// Writes raw bytes to standard error.
  static func error(bytes: some Collection<UInt8>) {
    Array(bytes).withUnsafeBufferPointer { _ = writeAll($0, to: STDERR_FILENO) }
  }

  /// Writes a one-line remark to standard error.
  static func remark(_ sentence: String) { error("eventlog: \(sanitized(sentence))\n") }

  /// Ignores the signals for a broken pipe and for a file at its size limit, so that `write`
  /// returns an error instead. Opens closed standard descriptors, because otherwise the next opened
  /// file could become standard output. Call it before opening files.
  static func prepare() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}

private struct Buffer {
  static let capacity = 65_536
  var bytes: [UInt8] = []
  /// The first write error; 0 if there is none.
  var errorNumber: Int32 = 0

  mutating func append(_ new: UnsafeBufferPointer<UInt8>) {
    guard errorNumber == 0 else { return }
    if bytes.count + new.count > Buffer.capacity { flush() }
    if new.count >= Buffer.capacity {
      send(new)
    } else {
      bytes.append(contentsOf: new)
    }
    if Terminal.isOutputTTY, new.last == UInt8(ascii: "\n") { flush() }
  }

  mutating func flush() {
    guard errorNumber == 0, !bytes.isEmpty else { return }
    let code = bytes.withUnsafeBufferPointer { writeAll($0, to: STDOUT_FILENO) }
    bytes.removeAll(keepingCapacity: true)
    remember(code)
  }

  private mutating func send(_ new: UnsafeBufferPointer<UInt8>) {
    guard errorNumber == 0 else { return }
    remember(writeAll(new, to: STDOUT_FILENO))
  }

  private mutating func remember(_ code: Int32) {
    if code == EPIPE { endByBrokenPipe() }
    errorNumber = code
  }
}

/// Writes all bytes, in as many system calls as needed. Returns 0 or the error number.
private func writeAll(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: Int32) -> Int32 {
  var rest = UnsafeRawBufferPointer(bytes)
  while !rest.isEmpty {
    let written = write(descriptor, rest.baseAddress, min(rest.count, 1 << 30))
    if written >= 0 {
      rest = UnsafeRawBufferPointer(rebasing: rest[written...])
    } else if errno == EAGAIN {
      var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = poll(&ready, 1, -1)
    } else if errno != EINTR {
      return errno
    }
  }
  return 0
}

/// Ends the process with SIGPIPE, so that a shell sees the same status as for `cat`.
private func endByBrokenPipe() -> Never {
  signal(SIGPIPE, SIG_DFL)
  raise(SIGPIPE)
  _exit(128 + SIGPIPE)
}

/// Returns the system's message for an error number, such as `No space left on device`.
func systemError(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
