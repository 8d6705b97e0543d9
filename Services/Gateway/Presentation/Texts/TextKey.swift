/// The keys of all texts, as in the `.strings` files.
public enum TextKey: String, CaseIterable, Sendable {
    case feedTitle = "feed.title"
    case feedEmpty = "feed.empty"
    case feedEnd = "feed.end"
    case feedEndUpdated = "feed.end.updated"
    case feedEndUpdatedNow = "feed.end.updated.now"
    case feedNextPage = "feed.next_page"

    case commentsTitle = "comments.title"
    case commentsEmpty = "comments.empty"
    case commentsCountOne = "comments.count.one"
    case commentsCountOther = "comments.count.other"

    case image = "image"

    case updated = "status.updated"
    case updatedNow = "status.updated.now"
    case cachedCopy = "status.cached"
    case cachedCopyNow = "status.cached.now"
    case offline = "status.offline"

    case retry = "retry"
    case couldNotShow = "problem.could_not_show"

    case alreadyExists = "error.already_exists"
    case connectionError = "error.connection"
    case dataLoss = "error.data_loss"
    case deadlineExceeded = "error.deadline_exceeded"
    case imageMissing = "error.image_missing"
    case invalidData = "error.invalid_data"
    case notFound = "error.not_found"
    case originStatus = "error.origin_status"
    case overloaded = "error.overloaded"
    case permissionDenied = "error.permission_denied"
    case readOnly = "error.read_only"
    case tooLarge = "error.too_large"
    case unavailable = "error.unavailable"
    case unknownError = "error.unknown"

    // The web page.
    case feedDescription = "feed.description"
    case feedEmptyHint = "feed.empty.hint"
    case feedLoading = "feed.loading"
    case feedNewOne = "feed.new.one"
    case feedNewOther = "feed.new.other"
    case feedPreviousPage = "feed.previous_page"

    case commentsOld = "comments.next_page"
    case commentsFirst = "comments.first_page"
    case commentsUnavailable = "comments.unavailable"

    case formTitle = "form.title"
    case formName = "form.name"
    case formMessage = "form.message"
    case formToken = "form.token"
    case formTokenHint = "form.token.hint"
    case formSend = "form.send"
    case formTokenWrong = "form.token.wrong"
    case formInvalid = "form.invalid"
    case formOffline = "form.offline"

    case pictureFullSize = "picture.full_size"
    case picturePrevious = "picture.previous"
    case pictureNext = "picture.next"

    case apiTitle = "api.title"
    case apiDescription = "api.description"
    case apiParameters = "api.parameters"
    case apiBody = "api.body"
    case apiAnswers = "api.answers"
    case apiErrors = "api.errors"
    case apiExample = "api.example"
    case apiRequired = "api.required"

    case pageBack = "page.back"
    case pageClose = "page.close"
    case pageDetails = "page.details"
    case pageHome = "page.home"
    case pageLanguage = "page.language"
    case pageMissing = "page.missing"
    case pageMore = "page.more"
    case pageReload = "page.reload"
    case pageSettings = "page.settings"
    case pageSkip = "page.skip"
    case showDark = "page.dark"
    case showLight = "page.light"
    case showGrid = "page.grid"
    case showList = "page.list"
    case traceID = "page.trace"

    // The terminal browser.
    case browseChoose = "browse.choose"
    case browseKeys = "browse.keys"
    case browseNoPictures = "browse.no_pictures"
    case browseQuit = "browse.quit"
    case browseScroll = "browse.scroll"

    // The command line.
    case columnAuthor = "comments.column.author"
    case columnDate = "comments.column.date"
    case columnMessage = "comments.column.message"

    case columnDescription = "feed.column.description"
    case columnLocation = "feed.column.location"

    case allowServer = "hint.allow_server"
    case noGateway = "hint.no_gateway"
    case otherDeployment = "hint.other_deployment"
    case traceHint = "hint.trace"

    case exportComments = "export.comments"
    case exportImages = "export.images"
    case exportMissing = "export.missing"
    case exportStopped = "export.stopped"
    case exportWritten = "export.written"

    case importPresent = "import.present"
    case importPublished = "import.published"
    case importRefused = "import.refused"
    case importStopped = "import.stopped"

    case publishPresent = "publish.present"
    case publishRefused = "publish.refused"

    case removedCount = "remove.count"

    case watchNew = "watch.new"
    case watchRemoved = "watch.removed"
    case watchReset = "watch.reset"
    case watchGap = "watch.gap"
    case watchReconnecting = "watch.reconnecting"
    case watchStarted = "watch.started"
}
