/// The number of the caller's unread notifications.
public struct GetUnreadCount: Query {
  public static let about = About(
    "GetUnreadCount", .notifications, "Count the caller's unread notifications", result: "a number",
    errors: ["unauthorized", "profileNotFound"])
  public let core: Core
  public init(_ core: Core) { self.core = core }

  public static func answer(
    _ input: NoInput, to caller: Caller, in model: Model
  ) throws(UseCaseError) -> Int {
    model.unread(of: try model.signedIn(caller)).count
  }
}
