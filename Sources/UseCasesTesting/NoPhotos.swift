import UseCases

/// A photo storage for tests that stores nothing and always succeeds. It returns a photo's path as
/// the photo's URL.
public struct NoPhotos: PhotoStorage {
  /// Creates a photo storage that stores nothing.
  public init() {}

  public func put(_ bytes: [UInt8], at path: String) async throws(PhotoStorageError) -> String {
    path
  }
  public func delete(_ path: String) async throws(PhotoStorageError) {}
}
