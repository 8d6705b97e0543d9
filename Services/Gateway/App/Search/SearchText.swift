import Foundation
import Presentation
import SearchContract

/// The texts of search in each language of the product.
enum SearchText: CaseIterable {
    case search, nothing, nothingHint, back, unavailable, indexing, totalOne, totalOther, totalAtLeast, next, first,
        tag, tags, places, people
    case operators, without, missingOne, missingOther
    case withPhrase, withTag, fromPlace, byPhotographer, fromCommenter

    func text(in language: Language) -> String {
        switch language {
        case .en: english
        case .ptBR: portuguese
        case .el: greek
        case .es: spanish
        }
    }

    /// The text with `argument` in place of `%@`.
    func text(in language: Language, _ argument: String) -> String {
        text(in: language).replacing("%@", with: argument)
    }

    /// The number of results, up to the highest number that search counts to.
    static func total(_ count: Int, in language: Language) -> String {
        let text = count == 1 ? totalOne : count < FoundItems.maximumTotal ? totalOther : totalAtLeast
        return text.text(in: language, number(count, in: language))
    }

    /// Says that so many results are not shown.
    static func missing(_ count: Int, in language: Language) -> String {
        (count == 1 ? missingOne : missingOther).text(in: language, number(count, in: language))
    }

    private static func number(_ count: Int, in language: Language) -> String {
        count.formatted(.number.locale(Locale(identifier: language.rawValue)))
    }

    /// All texts by the names of their cases, for templates.
    static func all(in language: Language) -> [String: String] {
        Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0.text(in: language)) })
    }

    private var english: String {
        switch self {
        case .search: "Search"
        case .nothing: "Nothing found for “%@”"
        case .nothingHint: "Try fewer or other words."
        case .back: "Back to the feed"
        case .unavailable: "Search is not available right now"
        case .indexing: "Not all images are indexed yet: %@ %"
        case .totalOne: "%@ result"
        case .totalOther: "%@ results"
        case .totalAtLeast: "%@ results or more"
        case .next: "More results"
        case .first: "First results"
        case .tag: "Images with the tag %@"
        case .tags: "Tags"
        case .places: "Places"
        case .people: "People"
        case .operators: "Search in texts, tags, places and comments. A minus before a word leaves it out."
        case .without: "Search without the tag %@"
        case .missingOne: "%@ result cannot be shown right now"
        case .missingOther: "%@ results cannot be shown right now"
        case .withPhrase: "with these words in this order"
        case .withTag: "with this tag"
        case .fromPlace: "from this place"
        case .byPhotographer: "by this photographer"
        case .fromCommenter: "with a comment by this person"
        }
    }

    private var portuguese: String {
        switch self {
        case .search: "Buscar"
        case .nothing: "Nada encontrado para “%@”"
        case .nothingHint: "Tente menos palavras ou outras."
        case .back: "Voltar ao feed"
        case .unavailable: "A busca não está disponível no momento"
        case .indexing: "Nem todas as imagens estão indexadas: %@ %"
        case .totalOne: "%@ resultado"
        case .totalOther: "%@ resultados"
        case .totalAtLeast: "%@ resultados ou mais"
        case .next: "Mais resultados"
        case .first: "Primeiros resultados"
        case .tag: "Imagens com a etiqueta %@"
        case .tags: "Etiquetas"
        case .places: "Lugares"
        case .people: "Pessoas"
        case .operators: "Busque em textos, etiquetas, lugares e comentários. Um menos antes de uma palavra a exclui."
        case .without: "Buscar sem a etiqueta %@"
        case .missingOne: "%@ resultado não pode ser mostrado no momento"
        case .missingOther: "%@ resultados não podem ser mostrados no momento"
        case .withPhrase: "com estas palavras nesta ordem"
        case .withTag: "com esta etiqueta"
        case .fromPlace: "deste lugar"
        case .byPhotographer: "fotografadas por esta pessoa"
        case .fromCommenter: "com um comentário desta pessoa"
        }
    }

    private var greek: String {
        switch self {
        case .search: "Αναζήτηση"
        case .nothing: "Δεν βρέθηκε τίποτα για «%@»"
        case .nothingHint: "Δοκιμάστε λιγότερες ή άλλες λέξεις."
        case .back: "Πίσω στο feed"
        case .unavailable: "Η αναζήτηση δεν είναι διαθέσιμη αυτή τη στιγμή"
        case .indexing: "Δεν έχουν ευρετηριαστεί ακόμη όλες οι εικόνες: %@ %"
        case .totalOne: "%@ αποτέλεσμα"
        case .totalOther: "%@ αποτελέσματα"
        case .totalAtLeast: "%@ αποτελέσματα ή περισσότερα"
        case .next: "Περισσότερα αποτελέσματα"
        case .first: "Πρώτα αποτελέσματα"
        case .tag: "Εικόνες με την ετικέτα %@"
        case .tags: "Ετικέτες"
        case .places: "Τόποι"
        case .people: "Άτομα"
        case .operators: "Αναζητήστε σε κείμενα, ετικέτες, τόπους και σχόλια. Ένα μείον πριν από μια λέξη την εξαιρεί."
        case .without: "Αναζήτηση χωρίς την ετικέτα %@"
        case .missingOne: "%@ αποτέλεσμα δεν μπορεί να εμφανιστεί αυτή τη στιγμή"
        case .missingOther: "%@ αποτελέσματα δεν μπορούν να εμφανιστούν αυτή τη στιγμή"
        case .withPhrase: "με αυτές τις λέξεις σε αυτή τη σειρά"
        case .withTag: "με αυτή την ετικέτα"
        case .fromPlace: "από αυτόν τον τόπο"
        case .byPhotographer: "αυτού του φωτογράφου"
        case .fromCommenter: "με σχόλιο αυτού του ατόμου"
        }
    }

    private var spanish: String {
        switch self {
        case .search: "Buscar"
        case .nothing: "No se encontró nada para «%@»"
        case .nothingHint: "Prueba con menos palabras o con otras."
        case .back: "Volver al feed"
        case .unavailable: "La búsqueda no está disponible en este momento"
        case .indexing: "Aún no están indexadas todas las imágenes: %@ %"
        case .totalOne: "%@ resultado"
        case .totalOther: "%@ resultados"
        case .totalAtLeast: "%@ resultados o más"
        case .next: "Más resultados"
        case .first: "Primeros resultados"
        case .tag: "Imágenes con la etiqueta %@"
        case .tags: "Etiquetas"
        case .places: "Lugares"
        case .people: "Personas"
        case .operators:
            "Busca en textos, etiquetas, lugares y comentarios. Un menos delante de una palabra la excluye."
        case .without: "Buscar sin la etiqueta %@"
        case .missingOne: "%@ resultado no se puede mostrar en este momento"
        case .missingOther: "%@ resultados no se pueden mostrar en este momento"
        case .withPhrase: "con estas palabras en este orden"
        case .withTag: "con esta etiqueta"
        case .fromPlace: "de este lugar"
        case .byPhotographer: "fotografiadas por esta persona"
        case .fromCommenter: "con un comentario de esta persona"
        }
    }
}
