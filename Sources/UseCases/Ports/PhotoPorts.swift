/// Where photos are stored, and how they are made small enough.
public struct PhotoPorts: Sendable {
  public var storage: any PhotoStorage
  public var encoder: any PhotoEncoder

  public init(storage: any PhotoStorage, encoder: any PhotoEncoder) {
    self.storage = storage
    self.encoder = encoder
  }
}
