import Foundation
import Synchronization
import Testing

@testable import EventLog
@testable import Events

#if canImport(Glibc)
  import Glibc
#endif

/// Faults 11: calls that a signal interrupts are repeated.
@Suite struct InterruptedTests {
  @Test("faults 11: a read and a write that signals interrupt continue correctly")
  func signals() throws {
    // An empty handler, because without one a signal would end the process. It is set without
    // SA_RESTART, so that the system does not restart calls.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in interruptions.add(1, ordering: .relaxed) }
    var before = sigaction()
    #expect(sigaction(SIGUSR2, &action, &before) == 0)
    defer { sigaction(SIGUSR2, &before, nil) }

    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let (source, target) = (ends[0], ends[1])
    // More than a pipe holds, so that the writer and the reader wait for each other.
    let size = 1 << 20
    let text = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let received = Mutex<[UInt8]>([])
    let failures = Mutex<[FileError]>([])
    let finished = DispatchGroup()
    let threads = Mutex<[pthread_t]>([])
    func start(_ body: @escaping @Sendable () throws(FileError) -> Void) {
      finished.enter()
      Thread {
        var signals = sigset_t()
        sigaddset(&signals, SIGUSR2)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        threads.withLock { $0.append(pthread_self()) }
        do throws(FileError) { try body() } catch {
          failures.withLock { $0.append(error) }
        }
        finished.leave()
      }.start()
    }
    let files = FileSystem.posix
    start { () throws(FileError) in
      usleep(50_000)
      try files.writeAll(text, to: target, "pipe")
      try files.close(target, "pipe")
    }
    start { () throws(FileError) in
      var piece = [UInt8](repeating: 0, count: 5_000)
      while true {
        let count = try piece.withUnsafeMutableBufferPointer { (raw) throws(FileError) in
          try files.read(source, raw.baseAddress!, raw.count, nil, "pipe")
        }
        if count == 0 { break }
        received.withLock { $0 += piece[..<count] }
        usleep(200)
      }
      try files.close(source, "pipe")
    }
    while finished.wait(timeout: .now() + 0.002) == .timedOut {
      let running = threads.withLock { $0 }
      for thread in running { pthread_kill(thread, SIGUSR2) }
    }
    #expect(failures.withLock { $0 }.isEmpty)
    #expect(received.withLock { $0 } == text)
    #expect(interruptions.load(ordering: .relaxed) > 20, "nothing was interrupted")
  }
}

private let interruptions = Atomic<Int>(0)
