#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the operating system calls an error; its number where there is no operating system.
func systemErrorText(_ code: Int32) -> String {
  #if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
    String(cString: strerror(code))
  #else
    "error \(code)"
  #endif
}
