import CommentsContract
import FeedContract
import HTTPTypes
import JSON
import RPC

extension API {
    /// The endpoints of the API.
    static let endpoints: [Endpoint] = [
        Endpoint(
            .get, "/v1/feed", "loadFeed", "Return a page of the feed, newest first. Link names the adjacent pages.",
            parameters: LoadFeed.parameters,
            answers: [
                .json("A page of the feed.", FeedPayload.codec), .notModified,
                .problem(400, "A parameter is invalid, or the cursor was never an item of the feed."),
            ]
        ) { api, request throws(RPCError) in
            try await api.feed(LoadFeed(request.query), request.head, request.options)
        },
        Endpoint(
            .get, FeedEvent.path, "watchFeed",
            "Send an event for each change of the feed: published, removed, or reset when events are missing.",
            answers: AnswerDescription.events
        ) { api, request throws(RPCError) in
            try api.stream(api.events, request.head)
        },
        Endpoint(
            .get, CommentsEvent.path, "watchComments",
            "Send an event for each change of the comments: posted, removed, or reset when events are missing.",
            answers: AnswerDescription.events
        ) { api, request throws(RPCError) in
            try api.stream(api.commentsEvents, request.head)
        },
        Endpoint(
            .get, "/v1/image/{id}", "getItem", "Return an item of the feed.",
            answers: [
                .json("The item.", EnrichedItem.codec), .notModified, .problem(404, "The feed has no such item."),
            ]
        ) { api, request throws(RPCError) in
            try await api.item(request.id, request.head, request.options)
        },
        Endpoint(
            .get, "/v1/image/{id}/comments", "listComments", "Return all comments of an image, oldest first.",
            answers: [
                .json("The comments.", CommentsPayload.codec), .notModified,
                .problem(404, "The feed has no such item."),
                .problem(413, "The comments exceed the limit of the API."),
            ]
        ) { api, request throws(RPCError) in
            try await api.comments(of: request.id, request.head, request.options)
        },
        Endpoint(
            .post, "/v1/image/{id}/comments", "postComment",
            "Add a comment. Needs a bearer token. With an id the request can be repeated.",
            body: NewComment.description,
            answers: [
                .json("The comment as it was stored.", Comment.codec, status: 201),
                .problem(400, "The body is not valid JSON or a valid form, or a member is invalid."),
                .problem(401, "The bearer token is missing or wrong."),
                .problem(403, "This deployment accepts no writes over HTTP, or the request comes from another site."),
                .problem(404, "The feed has no such item."),
                .problem(409, "The id exists with other content."),
                .problem(413, "The body is too large."),
                .problem(415, "The body is neither JSON nor a form."),
            ]
        ) { api, request throws(RPCError) in
            try await api.postComment(on: request.id, request)
        },
        Endpoint(
            .get, "/v1/image/{id}/data", "getImageData",
            "Return the bytes of an image, or of a smaller variant. Ranges are supported.",
            parameters: [WantedPicture.width.description],
            answers: [
                .body("The bytes.", "image/*"), .body("A range of the bytes.", "image/*", status: 206), .notModified,
                .problem(400, "The width is invalid."),
                .problem(404, "The feed has no such item, or its image does not exist."),
                .problem(416, "The range is beyond the end of the image."),
            ]
        ) { api, request throws(RPCError) in
            try await api.imageData(of: request.id, request.query, request.head, request.options)
        },
        Endpoint(
            .get, "/feed.json", "getJSONFeed", "Return a page of the feed for feed readers: JSON Feed 1.1.",
            parameters: LoadFeed.parameters + [Reader.languageParameter],
            answers: [
                AnswerDescription(
                    status: 200, summary: "A page of the feed.", contentType: JSONFeed.contentType,
                    schema: JSONFeed.codec.schema),
                .notModified, .problem(400, "A parameter is invalid, or the cursor was never an item of the feed."),
            ]
        ) { api, request throws(RPCError) in try await api.jsonFeed(request) },
        Endpoint(
            .get, "/feed.atom", "getAtomFeed",
            "Return a page of the feed for feed readers: Atom, paged as in RFC 5005.",
            parameters: LoadFeed.parameters + [Reader.languageParameter],
            answers: [
                .body("A page of the feed.", AtomFeed.contentType), .notModified,
                .problem(400, "A parameter is invalid, or the cursor was never an item of the feed."),
            ]
        ) { api, request throws(RPCError) in try await api.atomFeed(request) },
        Endpoint(
            .get, "/openapi.json", "describe", "Return this description, OpenAPI 3.1.",
            answers: [.body("The description.", "application/json"), .notModified]
        ) { api, request throws(RPCError) in
            .document(await api.description(), for: request.head)
        },
        Endpoint(
            .get, "/healthz", "checkLife", "Answer while the process runs.",
            answers: [.body("The word alive.", "text/plain")]
        ) { _, _ throws(RPCError) in .text("alive") },
        Endpoint(
            .get, "/readyz", "checkReadiness", "Answer whether every required service responds and can use its store.",
            answers: [
                .body("The word ready.", "text/plain"),
                .problem(503, "Names the services that do not respond, or have no store."),
            ]
        ) { api, _ throws(RPCError) in try await api.readiness() },
        Endpoint(
            .get, "/metrics", "readMetrics",
            "Return the numbers of the gateway and its services for Prometheus, to clients on the server itself.",
            answers: [
                .body("The text format 0.0.4, or OpenMetrics 1.0 to clients that accept it.", "text/plain"),
                .problem(403, "Metrics are off, or only for clients on the server itself."),
            ], isReadableAcrossSites: false
        ) { api, request throws(RPCError) in await api.metrics(request) },
    ]
}

extension AnswerDescription {
    /// The answers with a stream of events.
    fileprivate static let events = [
        body(
            """
            Server-sent events. Last-Event-ID resumes after an event. After interrupted, events may be missing until an id comes \
            without an event.
            """,
            "text/event-stream"),
        problem(429, "Too many readers."),
    ]

    /// The answer to a conditional request.
    static let notModified = AnswerDescription(
        status: 304, summary: "The client's copy is current.", contentType: nil, schema: nil)
}
