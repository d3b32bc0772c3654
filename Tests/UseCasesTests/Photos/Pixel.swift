@testable import UseCases

/// A PNG of one pixel, in base64 and as bytes.
let pixelText =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
let pixel = (try? Fields.dataURI("data:image/png;base64," + pixelText)) ?? []
