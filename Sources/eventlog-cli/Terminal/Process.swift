#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs a command, found as a shell finds it, and waits for its end; what it prints goes to
/// standard error.
/// - Parameter environment: variables set beside those of this process.
/// - Returns: the exit status; of a command that a signal ended 128 and its number.
/// - Throws: exit 64 for a command that cannot be run.
func runProcess(_ words: [String], environment: [String: String]) throws(Failure) -> Int32 {
  var actions = spawnActions()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
  for (name, value) in environment { setenv(name, value, 1) }
  var arguments = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  var child: pid_t = 0
  // A broken pipe ends the child as it ends any command.
  signal(SIGPIPE, SIG_DFL)
  signal(SIGXFSZ, SIG_DFL)
  let code = posix_spawnp(&child, arguments[0]!, &actions, nil, &arguments, environ)
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
  guard code == 0 else {
    throw .usage("cannot run \(quoted(words[0])): \(systemError(code))")
  }
  var status: Int32 = 0
  while waitpid(child, &status, 0) < 0, errno == EINTR {}
  let number = status & 0x7f
  return number == 0 ? status >> 8 & 0xff : 128 + number
}

#if canImport(Darwin)
  private func spawnActions() -> posix_spawn_file_actions_t? { nil }
#else
  private func spawnActions() -> posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
#endif
