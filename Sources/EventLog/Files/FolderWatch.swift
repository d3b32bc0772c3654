// Any thread may cancel a source, but Dispatch on Linux does not declare it Sendable.
@preconcurrency import Dispatch
import Events

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A watch on a folder for files that are created, removed, extended or truncated.
///
/// On Linux, the watch uses inotify. On other systems, or if the kernel allows no further watch, a
/// timer reports a possible change four times a second.
/// - Complexity: one descriptor and no thread; on Linux no work while nothing changes.
enum FolderWatch {
  /// Returns a stream that yields after each change. If the reader is slow, one yield stands for
  /// several changes.
  static func changes(in folder: String) -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { changes in
      #if canImport(Glibc) || canImport(Musl)
        if watch(folder, changes) { return }
      #endif
      let timer = Task {
        while (try? await Task.sleep(for: .milliseconds(250))) != nil { changes.yield() }
      }
      changes.onTermination = { _ in timer.cancel() }
    }
  }

  #if canImport(Glibc) || canImport(Musl)
    /// Watches a folder with inotify.
    /// - Returns: false if the kernel allows no further watch.
    private static func watch(_ folder: String, _ changes: AsyncStream<Void>.Continuation) -> Bool {
      let file = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
      guard file >= 0 else { return false }
      let events = UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM)
      guard inotify_add_watch(file, folder, events) >= 0 else {
        close(file)
        return false
      }
      let source = DispatchSource.makeReadSource(fileDescriptor: file)
      source.setEventHandler {
        // The kind of change does not matter, but the kernel's queue of changes must be emptied.
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while read(file, &buffer, buffer.count) > 0 {}
        changes.yield()
      }
      source.setCancelHandler { close(file) }
      changes.onTermination = { _ in source.cancel() }
      source.activate()
      return true
    }
  #endif
}
