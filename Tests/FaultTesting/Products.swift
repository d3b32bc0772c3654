import Foundation

/// The folder of the built products, which holds the test bundle.
public let products: URL = {
  let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
  let path = bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0])
  return path.deletingLastPathComponent()
}()

/// The folder of the package.
public let repository = URL(filePath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
