import ArgumentParser
import JSON
import RPC

struct DescribeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "List the methods of the services, with their parameters and results.",
        discussion: """
            Examples:
              gateway describe                        all methods of all services
              gateway describe feed                   the methods of one service
              gateway describe feed.load              one method: its signature and its errors
              gateway describe feed.load --schema     with its JSON Schemas
              gateway describe feed.publish --template >items.json
                                                      parameters to fill in, for gateway call feed.publish @items.json
            """)

    static let isPaged = true

    @OptionGroup var client: ClientOptions

    @Argument(help: ArgumentHelp("A service, or a method.", valueName: "service[.method]"), completion: .subjects)
    var subject: String?

    @Flag(help: "Print the JSON Schemas of the parameters and of the result too.") var schema = false
    @Flag(help: "Print parameters with an example of each, to fill in.") var template = false

    func validate() throws {
        if schema || template, subject?.contains(".") != true {
            throw ValidationError("--schema and --template need a method, for example feed.load")
        }
        if schema, template { throw ValidationError("--schema and --template exclude each other") }
    }

    func run(_ session: Session) async throws {
        let service = subject.map { String($0.prefix { $0 != "." }) }
        guard let subject, subject.contains(".") else {
            _ = try await session.show(ProtocolMethods.describe, ServiceSelection(service: service)) {
                list($0, session.output)
            }
            return
        }
        let method = try await find(subject, session)
        if template {
            session.output.print(ParameterTemplate.tree(ParameterSchema(method.params)).json)
        } else if session.asJSON {
            session.output.print(RawJSON(method, as: MethodDescription.codec))
        } else {
            session.output.print(text(method, session.output))
        }
    }

    private func find(_ name: String, _ session: Session) async throws -> MethodDescription {
        // The hint needs the methods of all services.
        let methods = try await session.call(ProtocolMethods.describe, ServiceSelection()).contracts.flatMap(\.methods)
        if let method = methods.first(where: { $0.name == name }) { return method }
        // The protocol's own methods are in no contract.
        throw CommandFailure(
            RPCError(.methodNotFound, "no service has a method \(Escaping.visible(name))", begun: false),
            hints: MethodHints(methods: methods).missing(name))
    }

    private func list(_ description: ServiceDescription, _ output: Output) -> String {
        let columns = [TextTable.Column("METHOD"), TextTable.Column("WHAT IT DOES", fit: .wrap)]
        let rows = description.contracts.flatMap(\.methods).map { [$0.name, $0.summary] }
        return TextTable(columns, rows: rows).rendered(in: output.columns, style: output.style)
    }

    private func text(_ method: MethodDescription, _ output: Output) -> String {
        let style = output.style
        let signature = Signature(method: method).lines.map(Escaping.visible).flatMap { line in
            output.columns.map { Wrapping.lines(line, width: $0, indent: "      ") } ?? [line]
        }
        let errors = method.errors.map(\.rawValue).joined(separator: ", ")
        let facts = [
            Escaping.visible(method.summary),
            method.idempotent ? nil : "Not repeatable: a second call has a second effect.",
            "\(style.bold("Errors")): \(errors.isEmpty ? "those of every method" : errors)",
        ]
        let schemas =
            schema
            ? [
                "", style.bold("Parameters"), PrettyJSON.text(method.params), "", style.bold("Result"),
                PrettyJSON.text(method.result),
            ] : []
        let head = [style.bold(signature[0])] + signature.dropFirst() + [""]
        return (head + facts.compactMap(\.self) + schemas).joined(separator: "\n")
    }
}
