"""Uses clients that `gateway client python` has written: likes, feed and image_data, with their sockets as arguments."""
import base64, sys, feed, image_data, likes

image, like = "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E", "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4F"

with likes.Client(sys.argv[1]) as client:
    added = client.add(image_id=image, id=like)
    one, several = client.get(id=image), client.counts(image_ids=[image])
    print(added["count"], one["image_id"], one["count"], several["counts"][image])
    try:
        client.add(image_id=like, id=like)
    except likes.AlreadyExists as failure:
        print(failure.kind, failure.code)
    try:
        client.get(id="nonsense")
    except likes.Failure as failure:
        print(type(failure).__name__, failure.kind)

with feed.Client(sys.argv[2]) as client:
    client.publish(items=[{"id": image, "image": "urn:x:y"}])
    page = client.load(limit=1)
    print(page["items"][0]["id"], page["origin"])
    for event in client.watch(since=""):
        print(*sorted(event))
        break

picture = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
with image_data.Client(sys.argv[3]) as client:
    print(client.load(url=client.put(data=picture)["url"])["data"] == picture)
