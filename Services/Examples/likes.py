#!/usr/bin/env python3
"""Count how many readers like an image: a plugin of the image feed.

Usage: likes.py    listens on ROOT/run/likes.sock, and stores the likes in ROOT/data/likes.jsonl"""
import collections, json, os, uuid
from plugin import COUNT, ID, IDS, Failure, Plugin

plugin = Plugin("likes")
images = {}  # the image of each like
counts_by_image = collections.Counter()
SOME = {"type": "integer", "minimum": 1}


def note(like, image):
    images[like] = image
    counts_by_image[image] += 1


@plugin.method("Count the likes of images.", {"image_ids": IDS}, {"counts": {"type": "object", "additionalProperties": SOME}})
def counts(image_ids):
    counted = {id.upper(): counts_by_image[id.upper()] for id in image_ids}
    return {"counts": {id: count for id, count in counted.items() if count}}


@plugin.method("Return the number of likes of an image.", {"id": ID}, {"image_id": ID, "count": COUNT})
def get(id):
    return {"image_id": id.upper(), "count": counts_by_image[id.upper()]}


@plugin.method(
    "Like an image. With an id the call can be repeated.", {"image_id": ID, "id": ID}, {"count": SOME},
    idempotent=False, errors=["already_exists"])
def add(image_id, id=None):
    like, image = (id or str(uuid.uuid4())).upper(), image_id.upper()
    if images.get(like, image) != image:
        raise Failure("already_exists", "params.id: this like exists for another image")
    if like not in images:
        file.write(json.dumps({"id": like, "image_id": image}).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())  # a like that was acknowledged is on disk
        note(like, image)
    return {"count": counts_by_image[image]}


os.makedirs(plugin.root + "/data", mode=0o700, exist_ok=True)
with open(plugin.root + "/data/likes.jsonl", "ab+") as file:
    file.seek(0)
    end = 0
    for line in file:
        if line.endswith(b"\n"):  # else the process was killed while it wrote the line
            like = json.loads(line)
            note(like["id"], like["image_id"])
            end += len(line)
    file.truncate(end)
    plugin.serve()
