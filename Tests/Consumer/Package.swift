// swift-tools-version: 6.2
import PackageDescription

// An app's package that depends on eventlog.
let package = Package(
  name: "consumer",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "eventlog", path: "../..")],
  targets: [
    .executableTarget(
      name: "Readme", dependencies: [.product(name: "UseCases", package: "eventlog")]),
    .executableTarget(
      name: "Catching", dependencies: [.product(name: "UseCases", package: "eventlog")]),
    .executableTarget(
      name: "Client", dependencies: [.product(name: "EventlogClient", package: "eventlog")]),
    .executableTarget(
      name: "Phones", dependencies: [.product(name: "EventlogClient", package: "eventlog")]),
    .executableTarget(
      name: "Products",
      dependencies: ["Events", "EventLog", "Aggregates", "Projections", "UseCases"].map {
        .product(name: $0, package: "eventlog")
      }),
    .testTarget(
      name: "AppTests",
      dependencies: ["UseCases", "UseCasesTesting", "PropertyTesting"].map {
        .product(name: $0, package: "eventlog")
      }),
  ]
)
