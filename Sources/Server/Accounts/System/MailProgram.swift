#if Server
  import CServer

  /// A program that sends mail. It gets each message on its standard input, like `sendmail -t`:
  /// the headers `To` and `Subject`, an empty line, and the text.
  ///
  /// The program runs without a shell and without arguments. It must end within 30 s with the
  /// status 0. Messages are sent after the answer to the request, two at a time.
  struct MailProgram: Sendable {
    /// A message to one address.
    struct Message: Sendable {
      var to: String
      var subject: String
      var lines: [String]

      fileprivate var text: String {
        (["To: \(to)", "Subject: \(subject)", ""] + lines).joined(separator: "\n") + "\n"
      }
    }

    private static let seconds: Int32 = 30
    private static let mostWaiting = 1_000
    private let path: String
    private let says: @Sendable (String) -> Void
    private let workers = Workers("eventlog.mail", count: 2, most: Self.mostWaiting)

    /// - Parameters:
    ///   - path: the program's file.
    ///   - says: receives the reason why a message was not sent, without the message's content.
    init(
      _ path: String, says: @escaping @Sendable (String) -> Void
    ) throws(AccountFault) {
      guard server_is_program(path) == 1 else {
        throw AccountFault("--mail-command: \(path) is not a program that can be run")
      }
      (self.path, self.says) = (path, says)
    }

    /// Whether no message is being sent or waits.
    var isIdle: Bool { workers.isIdle }

    /// Sends a message later. The caller does not learn whether it was sent.
    func send(_ message: Message) {
      let isQueued = workers.run { [path, says] in
        let text = Array(message.text.utf8).map { CChar(bitPattern: $0) }
        let status = server_run_program(path, text, text.count, Self.seconds)
        switch status {
        case 0: break
        case -2: says("a message was not sent: \(path) cannot be started")
        case -1: says("a message was not sent: \(path) did not end within \(Self.seconds) s")
        default: says("a message was not sent: \(path) exited with \(status)")
        }
      }
      if !isQueued { says("a message was not sent: \(Self.mostWaiting) messages wait already") }
    }
  }
#endif
