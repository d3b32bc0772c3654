extension Program {
  /// Returns a script with which `bash`, `zsh` or `fish` completes the program's commands and
  /// options; throws a usage failure for any other shell.
  func completions(for shell: String) throws(Failure) -> String {
    switch shell {
    case "bash": bashCompletions()
    case "zsh": zshCompletions()
    case "fish": fishCompletions()
    default: throw .usage("no completions for \(quoted(shell)): there are bash, zsh and fish")
    }
  }

  /// The program's name in a form that can be part of a shell function's name.
  private var identifier: String {
    String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  private var commandWords: String { commands.map(\.name).joined(separator: " ") }

  private func bashCompletions() -> String {
    var choices = ""
    var options = ""
    for command in commands {
      for option in command.options where !option.choices.isEmpty {
        let patterns = option.names.map { "'\(command.name) \($0)'" }.joined(separator: "|")
        choices += "    \(patterns)) words='\(option.choices.joined(separator: " "))' ;;\n"
      }
      let names = (command.options + [.help]).flatMap(\.names).joined(separator: " ")
      options += "      \(command.name)) words='\(names)' ;;\n"
    }
    let pathCommands = commands.filter(\.takesPath).map(\.name).joined(separator: "|")
    return """
      # bash completion for \(name)
      _\(identifier)() {
        local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words=
        if [ "$current" = = ]; then
          current=
        elif [ "$previous" = = ]; then
          previous="${COMP_WORDS[COMP_CWORD-2]}"
        fi
        case "${COMP_WORDS[1]} $previous" in
      \(choices)    'help help') words='\(commandWords)' ;;
        esac
        if [ "$COMP_CWORD" -eq 1 ]; then
          words='\(commandWords) help --help --version'
        elif [ -z "$words" ] && [ "${current#-}" != "$current" ]; then
          case "${COMP_WORDS[1]}" in
      \(options)    esac
        fi
        case "${COMP_WORDS[1]}" in
        \(pathCommands))
          if [ -z "$words" ] && [ "${current#-}${previous#-}" = "$current$previous" ]; then
            words="$(_\(identifier)_paths "$current")"
            compopt -o nospace 2>/dev/null
          fi ;;
        esac
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      }
      _\(identifier)_paths() {
        local log= index
        for ((index = 1; index < COMP_CWORD; index++)); do
          [ "${COMP_WORDS[index]}" = --log ] && log="${COMP_WORDS[index + 1]}"
        done
        \(name) paths --complete "$1" ${log:+--log "$log"} 2>/dev/null
      }
      complete -o bashdefault -o default -F _\(identifier) \(name)

      """
  }

  private func zshCompletions() -> String {
    let list = commands.map { "    '\($0.name):\(shellQuoted($0.summary))'\n" }.joined()
    var cases = ""
    for command in commands {
      cases += "    \(command.name)) _arguments -s -S \\\n"
      for option in command.options + [.help] {
        cases += option.names.map { "      '\(option.zshSpecification($0))' \\\n" }.joined()
      }
      let argument = command.takesPath ? "_\(identifier)_paths" : "_files"
      cases += "      '*:argument:\(argument)' ;;\n"
    }
    return """
      #compdef \(name)
      _\(identifier)_paths() {
        local -a found
        local log=${opt_args[--log]}
        found=("${(@f)$(\(name) paths --complete "$PREFIX" ${log:+--log $log} 2>/dev/null)}")
        compadd -Q -S '' -- $found
      }
      _\(identifier)() {
        local -a commands
        commands=(
      \(list)    'help:Show help.'
        )
        if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then
          _describe -t commands command commands
          return
        fi
        shift words
        (( CURRENT-- ))
        case $words[1] in
      \(cases)  esac
      }
      if [[ $funcstack[1] == _\(identifier) ]]; then
        _\(identifier) "$@"
      else
        compdef _\(identifier) \(name)
      fi

      """
  }

  private func fishCompletions() -> String {
    var text = """
      # fish completion for \(name)
      function __\(identifier)_command
        set -l words (commandline -opc)
        test "$words[2]" = "$argv[1]"
      end

      """
    func add(_ flags: String, after word: String, _ rest: String) {
      text += "complete -c \(name)\(flags) -n '__\(identifier)_command \(word)' \(rest)\n"
    }
    add(" -f", after: "\"\"", "-l version -d 'Show the version.'")
    for word in ["\"\"", "\"help\""] {
      for command in commands {
        let summary = shellQuoted(command.summary, fish: true)
        add(" -f", after: word, "-a \(command.name) -d '\(summary)'")
      }
    }
    add(" -f", after: "\"\"", "-a help -d 'Show help.'")
    for command in commands where command.takesPath {
      let paths = "-a '(\(name) paths --complete (commandline -ct) 2>/dev/null)'"
      add(" -f", after: command.name, paths)
    }
    for command in commands {
      for option in command.options + [.help] {
        add("", after: command.name, option.fishSpecification)
      }
    }
    return text
  }
}

extension Subcommand {
  /// Whether the command's arguments can be paths to pieces of state.
  fileprivate var takesPath: Bool { arguments.contains("PATH") }
}

extension Option {
  private var takesFile: Bool { ["FILE", "PATH", "FOLDER"].contains(value) }

  fileprivate func zshSpecification(_ spelling: String) -> String {
    var text = repeats ? "*" : short == nil ? "" : "(\(names.joined(separator: " ")))"
    text += spelling
    if value != nil { text += spelling == name ? "=" : "+" }
    text += "[\(zshQuoted(help))]"
    guard let value else { return text }
    let action =
      choices.isEmpty ? (takesFile ? "_files" : " ") : "(\(choices.joined(separator: " ")))"
    return text + ":\(zshQuoted(choices.isEmpty ? value : "value")):\(action)"
  }

  fileprivate var fishSpecification: String {
    var text = "-l \(name.drop { $0 == "-" })"
    if let short { text += " -s \(short.drop { $0 == "-" })" }
    if value != nil { text += takesFile ? " -r -F" : " -x" }
    if !choices.isEmpty { text += " -a '\(choices.joined(separator: " "))'" }
    return text + " -d '\(shellQuoted(help, fish: true))'"
  }
}

/// Escapes text for use between single quotes in a shell. Only fish has escapes there.
private func shellQuoted(_ text: String, fish: Bool = false) -> String {
  sanitized(text).map { character in
    switch character {
    case "'": fish ? "\\'" : "'\\''"
    case "\\" where fish: "\\\\"
    default: String(character)
    }
  }.joined()
}

/// Escapes text for use between single quotes in a specification for zsh's `_arguments`.
private func zshQuoted(_ text: String) -> String {
  shellQuoted(text).map { "[]:".contains($0) ? "\\\($0)" : String($0) }.joined()
}
