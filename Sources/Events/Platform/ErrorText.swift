#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Returns the operating system's text for an `errno` value, or only the number on a platform
/// without such texts.
func systemErrorText(_ code: Int32) -> String {
  #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
    String(cString: strerror(code))
  #else
    "error \(code)"
  #endif
}
