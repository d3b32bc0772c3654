#if Server
  import CServer

  /// Whether SIGTERM or Ctrl-C asked the process to stop. A second signal ends it at once.
  public enum StopSignal {
    /// Handles both signals from now on.
    public static func take() { server_take_stop_signals() }

    public static var isGiven: Bool { server_is_stop_asked() != 0 }

    public static func exit(_ code: Int32) -> Never { CServer.exit(code) }

    /// Writes a line to standard error.
    public static func say(_ sentence: String) {
      let line = Array((sentence + "\n").utf8)
      _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
  }
#endif
