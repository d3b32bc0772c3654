import Foundation
import Synchronization

/// The tokens of a signed-in person, as an identity provider issued them.
public struct Tokens: Codable, Equatable, Sendable {
  /// The token that a server accepts.
  public var access: String
  /// The token with which the provider issues the next tokens; nil if there is none.
  public var refresh: String?

  /// Creates tokens.
  public init(access: String, refresh: String? = nil) {
    (self.access, self.refresh) = (access, refresh)
  }
}

/// A place that keeps tokens while the app does not run.
public protocol TokenStore: Sendable {
  /// Returns the stored tokens; nil if nobody is signed in.
  func load() throws -> Tokens?
  /// Stores the tokens; nil removes them.
  func save(_ tokens: Tokens?) throws
}

/// A store in memory, for tests.
public final class MemoryTokenStore: TokenStore {
  private let tokens: Mutex<Tokens?>

  /// Creates a store with these tokens.
  public init(_ tokens: Tokens? = nil) { self.tokens = Mutex(tokens) }

  public func load() -> Tokens? { tokens.withLock { $0 } }
  public func save(_ tokens: Tokens?) { self.tokens.withLock { $0 = tokens } }
}

/// A store in a file that only its owner can read (mode 0600), for Linux and command-line programs.
///
/// Saving replaces the file atomically, so that a reader never sees half of the tokens.
public struct FileTokenStore: TokenStore {
  private let url: URL

  /// Creates a store in a file. The file's folder must exist.
  public init(_ url: URL) { self.url = url }

  public func load() throws -> Tokens? {
    guard FileManager.default.fileExists(atPath: url.path) else { return nil }
    return try JSONDecoder().decode(Tokens.self, from: Data(contentsOf: url))
  }

  public func save(_ tokens: Tokens?) throws {
    let folder = url.deletingLastPathComponent()
    let prefix = ".\(url.lastPathComponent).new-"
    guard let tokens else {
      // A process that ended while it saved left its new file.
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
      where name == url.lastPathComponent || name.hasPrefix(prefix) {
        try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
      }
      return
    }
    let new = folder.appendingPathComponent(prefix + UUID().uuidString)
    // FileManager would create the file with other rights first.
    let file = open(new.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw CocoaError(.fileWriteNoPermission) }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: try JSONEncoder().encode(tokens))
      try handle.synchronize()
      try handle.close()
      guard rename(new.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    } catch {
      try? FileManager.default.removeItem(at: new)
      throw error
    }
  }
}

#if canImport(Security)
  import Security

  /// A store in the keychain. The item is readable after the first unlock, and stays on the device.
  public struct KeychainTokenStore: TokenStore {
    private let service: String
    private let account: String

    /// Creates a store.
    /// - Parameters:
    ///   - service: the keychain item's service name, such as the app's bundle identifier.
    ///   - account: distinguishes several signed-in people.
    public init(service: String, account: String = "eventlog") {
      (self.service, self.account) = (service, account)
    }

    private var item: [String: Any] {
      [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecAttrAccount as String: account,
      ]
    }

    public func load() throws -> Tokens? {
      var query = item
      query[kSecReturnData as String] = true
      var found: CFTypeRef?
      let status = SecItemCopyMatching(query as CFDictionary, &found)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = found as? Data else { throw KeychainError(status) }
      return try JSONDecoder().decode(Tokens.self, from: data)
    }

    public func save(_ tokens: Tokens?) throws {
      guard let tokens else {
        let status = SecItemDelete(item as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
          throw KeychainError(status)
        }
        return
      }
      let data = try JSONEncoder().encode(tokens)
      var status = SecItemUpdate(
        item as CFDictionary, [kSecValueData as String: data] as CFDictionary)
      if status == errSecItemNotFound {
        var new = item
        new[kSecValueData as String] = data
        new[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        status = SecItemAdd(new as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw KeychainError(status) }
    }
  }

  /// An error of the keychain.
  public struct KeychainError: Error, Equatable, Sendable {
    /// The status that the keychain returned; `SecCopyErrorMessageString` has its text.
    public var status: OSStatus
    init(_ status: OSStatus) { self.status = status }
  }
#endif
