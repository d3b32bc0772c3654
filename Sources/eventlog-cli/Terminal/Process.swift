/// Runs a command and waits for its end. Finds the program like a shell does.
/// - Parameters:
///   - environment: variables set in addition to those of this process.
///   - output: receives the command's output; if nil, the output goes to standard error.
///   - isStopped: whether to end the command, like Ctrl-C does; asked every 20 ms.
/// - Returns: the exit status, or 128 plus the number of the signal that ended the command.
/// - Throws: exit 64 for a command that cannot be run.
func runProcess(
  _ words: [String], environment: [String: String], output: ProcessOutput? = nil,
  isStopped: (() -> Bool)? = nil
) throws(Failure) -> Int32 {
  var actions = spawnActions()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if let output { posix_spawn_file_actions_adddup2(&actions, output.file, STDERR_FILENO) }
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
  for (name, value) in environment { setenv(name, value, 1) }
  var arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var child: pid_t = 0
  // A broken pipe ends the child process, like any command.
  signal(SIGPIPE, SIG_DFL)
  signal(SIGXFSZ, SIG_DFL)
  // Tasks run on threads that block signals. The child process inherits the blocked signals.
  var (none, blocked) = (sigset_t(), sigset_t())
  sigemptyset(&none)
  pthread_sigmask(SIG_SETMASK, &none, &blocked)
  let code = posix_spawnp(&child, arguments[0]!, &actions, nil, &arguments, environ)
  pthread_sigmask(SIG_SETMASK, &blocked, nil)
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
  guard code == 0 else {
    throw .usage("cannot run \(quoted(words[0])): \(systemError(code))")
  }
  var status: Int32 = 0
  if let isStopped {
    while !isStopped() {
      if waitpid(child, &status, WNOHANG) == child { return exitCode(status) }
      usleep(20_000)
    }
    kill(child, SIGINT)
  }
  while waitpid(child, &status, 0) < 0, errno == EINTR {}
  return exitCode(status)
}

/// Returns the exit code for a status of `waitpid`.
private func exitCode(_ status: Int32) -> Int32 {
  let number = status & 0x7f
  return number == 0 ? status >> 8 & 0xff : 128 + number
}

/// The output of a command, in an unnamed temporary file that the next command reuses.
final class ProcessOutput {
  fileprivate let file: Int32

  /// - Throws: exit 73 if no temporary file can be created.
  init() throws(Failure) {
    var name = Array((environment("TMPDIR") ?? "/tmp").utf8CString.dropLast())
    name += ("/eventlog-" + String(repeating: "X", count: 6)).utf8CString
    file = mkstemp(&name)
    guard file >= 0 else {
      throw Failure(.cannotCreate, "cannot create a temporary file: \(systemError(errno))")
    }
    unlink(name)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
  }

  deinit { close(file) }

  /// Returns the last line of the output, and empties the file.
  /// - Parameter shows: whether to copy the whole output to standard error.
  /// - Returns: the last line in the last 4 KiB that does not begin with white space.
  func take(shows: Bool) -> String {
    lseek(file, 0, SEEK_SET)
    var (end, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let count = read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      if shows { Output.error(bytes: piece[..<count]) }
      end = Array((end + piece[..<count]).suffix(4096))
    }
    lseek(file, 0, SEEK_SET)
    ftruncate(file, 0)
    let lines = String(decoding: end, as: UTF8.self).split(whereSeparator: \.isNewline)
    return lines.last { $0.first?.isWhitespace == false }.map {
      truncated(sanitized("\($0)"), to: 200)
    }
      ?? ""
  }
}

#if canImport(Darwin)
  private func spawnActions() -> posix_spawn_file_actions_t? { nil }
#else
  private func spawnActions() -> posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
#endif
