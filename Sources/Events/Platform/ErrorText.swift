#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Returns the operating system's text for an error, or its number if there is no such system.
func systemErrorText(_ code: Int32) -> String {
  #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
    String(cString: strerror(code))
  #else
    "error \(code)"
  #endif
}
