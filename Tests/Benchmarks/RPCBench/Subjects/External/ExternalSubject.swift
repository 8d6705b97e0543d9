/// A subject in a separate program, on which the product does not depend: `PROGRAM serve SOCKET`, and
/// `PROGRAM measure SOCKET LOAD`, which prints a `Measurement` as one line of JSON.
struct ExternalSubject: Subject {
    let name: String
    let program: String

    func start(in directory: String) throws -> Served {
        Served(server: try .start([program, "serve", socket(in: directory)]))
    }

    func measuring(_ load: Load, over socket: String) throws -> [String] {
        [program, "measure", socket, try load.asArgument]
    }
}
