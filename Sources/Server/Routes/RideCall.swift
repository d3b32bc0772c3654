/// What clients of the ride app ask for, below `/api/v1`.
enum RideCall: Equatable, Sendable {
  case me, editMe, deleteMe, uploadAvatar
  case baseLocation, setBaseLocation
  case sports, mySports
  case setSport(String)
  case removeSport(String)

  init(_ method: String, _ path: [String]) throws(Route.Miss) {
    guard path.starts(with: ["api", "v1"]) else { throw .notFound("no such page") }
    let calls: [String: RideCall]
    switch path.dropFirst(2).joined(separator: "/") {
    case "riders/me": calls = ["GET": .me, "PATCH": .editMe, "DELETE": .deleteMe]
    case "riders/me/avatar": calls = ["POST": .uploadAvatar]
    case "riders/me/base-location": calls = ["GET": .baseLocation, "PUT": .setBaseLocation]
    case "sports": calls = ["GET": .sports]
    case "riders/me/sports": calls = ["GET": .mySports]
    default:
      guard path.count == 6, path.starts(with: ["api", "v1", "riders", "me", "sports"]) else {
        throw .notFound("no such page")
      }
      calls = ["POST": .setSport(path[5]), "DELETE": .removeSport(path[5])]
    }
    guard let call = calls[method == "HEAD" ? "GET" : method] else {
      throw .method(allowed: calls.keys.sorted().joined(separator: ", "))
    }
    self = call
  }

  var template: String {
    switch self {
    case .me, .editMe, .deleteMe: "/api/v1/riders/me"
    case .uploadAvatar: "/api/v1/riders/me/avatar"
    case .baseLocation, .setBaseLocation: "/api/v1/riders/me/base-location"
    case .sports: "/api/v1/sports"
    case .mySports: "/api/v1/riders/me/sports"
    case .setSport, .removeSport: "/api/v1/riders/me/sports/{sport}"
    }
  }
}
