/// The part of a server that answers the requests that a listener reads.
public protocol RequestHandler: Sendable {
  /// The limits for clients.
  var bounds: Bounds { get }

  /// The proxies whose connections have no limit of their own.
  var trustedProxies: TrustedProxies { get }

  /// Decides from a request's head whether the listener reads its body.
  func admit(_ head: RequestHead) -> Service.Admission

  /// Answers an admitted request, as `Service.handle` does.
  func handle(
    _ admitted: Service.Admitted, body: [UInt8]?,
    _ respond: @escaping @Sendable (@escaping Service.Making) -> Void)

  /// Ends an admitted request. The listener calls it once, after the answer was sent or the
  /// connection ended.
  func ended(_ admitted: Service.Admitted)

  /// Counts connections that were opened (1) or closed (-1).
  func count(connection change: Int)
}
