/// A supported language; the raw value is its BCP 47 tag.
public enum Language: String, CaseIterable, Sendable {
    case en
    case ptBR = "pt-BR"
    case el
    case es
}
