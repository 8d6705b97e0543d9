import Foundation

/// What a notice of copyright says: a licence, or whose the picture is.
enum LicenceNotice {
    /// The SPDX identifier of a Creative Commons licence that a text names or links to.
    static func creativeCommons(_ text: String) -> String? {
        if let link = text.firstMatch(of: link) {
            if let terms = link.1, let version = link.2 { return "CC-\(terms.uppercased())-\(version)" }
            return link.3?.lowercased() == "zero" ? "CC0-1.0" : "Public Domain"
        }
        if let name = text.firstMatch(of: name) {
            let terms = name.1.uppercased().split { " -_".contains($0) }.joined(separator: "-")
            return "CC-\(terms)-\(name.2)"
        }
        return text.contains(zero) ? "CC0-1.0" : nil
    }

    private static var link: Regex<(Substring, Substring?, Substring?, Substring?)> {
        /creativecommons\.org\/(?:licenses\/(by(?:-nc)?(?:-sa|-nd)?)\/(\d\.\d)|publicdomain\/(zero|mark)\/1\.0)/
            .ignoresCase()
    }
    private static var name: Regex<(Substring, Substring, Substring)> {
        /\bCC[ _-]?(BY(?:[ _-]NC)?(?:[ _-](?:SA|ND))?)[ _-]?v?(\d\.\d)\b/
            .ignoresCase()
    }
    private static var zero: Regex<Substring> { /\bCC[ _-]?0\b/.ignoresCase() }

    /// Whether a text is a licence in other words.
    static func isLicence(_ text: String) -> Bool { text.contains(words) }

    private static var words: Regex<Substring> {
        /licen[cs]|lizenz|lisens|licenç|άδεια|public domain|domínio público|dominio público|gemeinfrei|creative commons|\bGFDL\b|free to use/
            .ignoresCase()
    }

    /// Whether a text names somebody, and does not only reserve rights.
    static func namesOwner(_ text: String) -> Bool {
        text.replacing(reservation, with: "").contains { $0.isLetter }
    }

    private static var reservation: Regex<Substring> {
        /all rights reserved|alle rechte vorbehalten|tous droits réservés|todos os direitos reservados|todos los derechos reservados|copyright|\(c\)|unknown|none/
            .ignoresCase()
    }
}
