// Uses clients that `gateway client typescript` has written: likes and feed, with their sockets as arguments.
import { Client as Likes, Failure } from "./likes.js";
import { Client as Feed, type FeedLoadResult } from "./feed.js";

const image = "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4E";
const like = "7F3D9A60-0C1E-4B5E-9C57-0A3C7B1C2D4F";

const likes = new Likes(process.argv[2] ?? "");
const added = await likes.add({ image_id: image, id: like });
const [one, all] = await Promise.all([likes.get({ id: image }), likes.counts({ image_ids: [image] })]);
console.log(`${added.count} ${one.image_id} ${one.count} ${all.counts[image]}`);
try {
  await likes.add({ image_id: like, id: like });
} catch (error) {
  console.log(error instanceof Failure ? error.kind : String(error));
}
likes.close();

const feed = new Feed(process.argv[3] ?? "");
await feed.publish({ items: [{ id: image, image: "urn:x:y" }] });
const page: FeedLoadResult = await feed.load();
console.log(`${page.items[0]?.id} ${page.origin}`);
for await (const event of feed.watch({ since: "" })) {
  console.log(Object.keys(event).sort().join(" "));
  break;
}
feed.close();
