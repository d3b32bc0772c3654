#if Server
  import CServer

  /// A request to stop the process (SIGTERM or Ctrl-C). A second signal ends the process at once.
  public enum StopSignal {
    /// Installs the handlers of SIGTERM and SIGINT.
    public static func take() { server_take_stop_signals() }

    /// Whether a signal was received.
    public static var isGiven: Bool { server_is_stop_asked() != 0 }

    /// Ends the process with an exit code.
    public static func exit(_ code: Int32) -> Never { CServer.exit(code) }

    /// Writes a line to standard error.
    public static func say(_ sentence: String) {
      let line = Array((sentence + "\n").utf8)
      _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
  }
#endif
