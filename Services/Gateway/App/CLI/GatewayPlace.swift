import Presentation

/// Where a gateway does not answer.
enum GatewayPlace: Sendable, Equatable {
    case missing(String)

    /// A deployment, and the option that names it.
    case stopped(String, option: String)

    /// A socket that is in no deployment's directory.
    case socket(String)

    /// What the user can do.
    func hints(_ texts: Texts) -> [String] {
        let here =
            switch self {
            case .missing(let path):
                [texts.text(.noDeployment, path), texts.text(.startDeployment, " --root \(path.shellWord)")]
            case .stopped(let path, let option):
                [texts.text(.stoppedDeployment, path), texts.text(.startDeployment, option)]
            case .socket(let path): [texts.text(.noGateway, path)]
            }
        return here + [texts[.otherDeployment]]
    }
}
