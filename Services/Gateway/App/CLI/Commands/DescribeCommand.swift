import ArgumentParser
import JSON
import RPC

struct DescribeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "List the methods of the services, with their parameters and results.",
        discussion: """
            Examples:
              gateway describe                all methods of all services
              gateway describe feed           the methods of one service
              gateway describe feed.load      one method, with its JSON Schemas
            """)

    @OptionGroup var client: ClientOptions

    @Argument(help: ArgumentHelp("A service, or a method.", valueName: "service[.method]")) var subject: String?

    func run(_ session: Session) async throws {
        let service = subject.map { String($0.prefix { $0 != "." }) }
        let selection = ServiceSelection(service: service)
        guard let subject, subject.contains(".") else {
            _ = try await session.show(ProtocolMethods.describe, selection) { list($0, session.output) }
            return
        }
        let description = try await session.call(ProtocolMethods.describe, selection)
        guard let method = description.contracts.flatMap(\.methods).first(where: { $0.name == subject }) else {
            throw RPCError(
                .methodNotFound, "no service has a method \(subject); list the methods with: gateway describe",
                service: "gateway")
        }
        let json = RawJSON(method, as: MethodDescription.codec)
        session.output.print(session.asJSON ? "\(json)" : text(method, session.output.style))
    }

    private func list(_ description: ServiceDescription, _ output: Output) -> String {
        let columns = [TextTable.Column("METHOD"), TextTable.Column("WHAT IT DOES", fit: .wrap)]
        let rows = description.contracts.flatMap(\.methods).map { [$0.name, $0.summary] }
        return TextTable(columns, rows: rows).rendered(in: output.columns, style: output.style)
    }

    private func text(_ method: MethodDescription, _ style: Style) -> String {
        let errors = method.errors.map(\.rawValue).joined(separator: ", ")
        return """
            \(style.bold(method.name)): \(method.summary)

            \(style.bold("Parameters"))
            \(PrettyJSON.text(method.params))

            \(style.bold("Result"))
            \(PrettyJSON.text(method.result))

            \(style.bold("Errors")): \(errors.isEmpty ? "those of every method" : errors)
            """
    }
}
