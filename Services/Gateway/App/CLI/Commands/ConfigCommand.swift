import ArgumentParser
import JSON
import ServiceKit

/// Shows, checks and changes `ROOT/config.json`. Needs no running gateway.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show, check or change the settings of a deployment, ROOT/config.json.",
        discussion: """
            The file has an object for each program: gateway, feed, comments, image-data, and plugins of ours such as search. Its \
            members are the options of the program without their dashes, as `gateway serve --help` and `ROOT/bin/feed-service --help` \
            list them. `services` has options that feed, comments and image-data share, and `site` says how the feed presents itself.

              {"site": {"title": "Ana’s photographs"},
               "services": {"upstream": "https://feed.example", "log-level": "debug"},
               "image-data": {"max-image-bytes": 20000000, "limit": {"connections": 500}},
               "gateway": {"http": "0.0.0.0:80", "public-url": "https://ana.example"}}

            A changed file is checked as a whole by all programs before it replaces the last one. A restart (deploy/up) applies it. \
            An invalid file is exit code 78.

            Examples:
              gateway config show
              gateway config set gateway.http 127.0.0.1:9090
              gateway config set site.title "Ana’s photographs"
              gateway config set image-data.limit.connections 500
              gateway config unset image-data.limit
              gateway config check
            """,
        subcommands: [
            ConfigShowCommand.self, ConfigCheckCommand.self, ConfigSetCommand.self, ConfigUnsetCommand.self,
            ConfigApplyCommand.self,
        ])
}

/// Which file, of which deployment.
struct ConfigOptions: ParsableArguments {
    @OptionGroup var rootOption: RootOption

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp("The file. Default: ROOT/config.json.", valueName: "path"), completion: .file())
    var path: String?

    var settings: DeploymentSettings {
        let root = rootOption.root
        return DeploymentSettings(root: root, path: path ?? root.configuration)
    }
}

struct ConfigShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the settings, or one of them, as JSON.",
        discussion: """
            Examples:
              gateway config show
              gateway config show gateway.http
            """)

    @OptionGroup var options: ConfigOptions

    @Argument(help: ArgumentHelp("The setting, such as gateway.http.", valueName: "name"))
    var name: SettingName?

    func run() throws {
        let members = try options.settings.file().members
        let value = name.map { members.value(of: $0) ?? .null } ?? .object(members)
        Output(terminal: .live(), color: .never).print(value.rawJSON)
    }
}

struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Let all programs check the settings.")

    @OptionGroup var options: ConfigOptions

    func run() async throws { try await options.settings.check() }
}

struct ConfigSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change a setting.",
        discussion: """
            `true` and `false` set a flag. Several values are for an option that can be repeated.

            Examples:
              gateway config set gateway.http 127.0.0.1:9090
              gateway config set image-data.no-fetch true
              gateway config set services.deny-upstream 203.0.113.0/24 198.51.100.0/24
            """)

    @OptionGroup var options: ConfigOptions

    @Argument(help: ArgumentHelp("The setting, such as gateway.http.", valueName: "name"))
    var name: SettingName

    @Argument(help: ArgumentHelp("The value, or several.", valueName: "value"))
    var values: [String]

    func run() async throws {
        try await options.settings.change { $0.set(name, to: values) }
    }
}

struct ConfigUnsetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unset", abstract: "Remove settings, so that their defaults apply.")

    @OptionGroup var options: ConfigOptions

    @Argument(help: ArgumentHelp("The settings, such as gateway.http.", valueName: "name"))
    var names: [SettingName]

    func run() async throws {
        try await options.settings.change { members in names.forEach { members.unset($0) } }
    }
}

/// Makes all changes of one `deploy/up` at once.
struct ConfigApplyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Make several changes at once.", shouldDisplay: false)

    @OptionGroup var options: ConfigOptions

    @Option(help: ArgumentHelp("Write changed settings into this file instead.", valueName: "path")) var copy: String?

    @Argument(help: ArgumentHelp("A value of a setting; no value removes it.", valueName: "name=value"))
    var changes: [SettingChange] = []

    func run() async throws {
        var news: [String] = []
        try await options.settings.change(into: copy) { members in
            for change in SettingChange.joined(changes) {
                let before = members.value(of: change.name)
                change.apply(to: &members)
                guard let before, before != members.value(of: change.name) else { continue }
                news.append("\(change.name) was: \(before.text ?? "\(before.rawJSON)")")
            }
        }
        guard copy == nil else { return }
        news.forEach { Output(terminal: .live(), color: .never).print(Escaping.visible($0)) }
    }
}
