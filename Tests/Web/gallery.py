"""Drawn landscapes with captions in several languages, the same on every machine."""

import io
import random

from PIL import Image, ImageDraw, ImageFilter

CAPTIONS = [
    ("Sintra, Portugal", "Missed the last tram by ten seconds and walked up instead. The fog lifted for exactly one minute."),
    ("Seydisfjörður", "No filter. No sleep either."),
    ("Βουλιαγμένη, Αθήνα", "Το νερό ήταν ακόμη ζεστό στις επτά το απόγευμα."),
    ("Lago di Braies, Dolomiti", "We were here first, then the boats came, then the wedding, then the drone.\n\nI would come again tomorrow."),
    ("تیمیمون", "غروب الشمس فوق الكثبان، بعد يوم طويل من المشي."),
    ("Praia do Norte, Nazaré", ""),
]
COMMENTS = [
    ("Ana Luísa", "Que luz!"), ("yannis", "Where exactly is this? I was there in May and saw only fog, for three whole days."), ("نور", "جميل جدا"),
]


def photograph(index, size=None):
    chance = random.Random(index)
    width, height = size or [(480, 360), (400, 500), (480, 320), (480, 480)][index % 4]
    sky = [((28, 51, 92), (240, 170, 120)), ((94, 150, 200), (225, 235, 240)), ((62, 40, 84), (244, 132, 95)), ((20, 60, 70), (190, 215, 190))]
    top, bottom = sky[(index // 2) % 4]
    picture = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(picture)
    for y in range(height):
        part = y / height
        draw.line([(0, y), (width, y)], fill=tuple(round(a + (b - a) * part) for a, b in zip(top, bottom)))
    x, y, radius = chance.randrange(60, width - 60), chance.randrange(50, height // 2), chance.randrange(16, 34)
    draw.ellipse([x - radius, y - radius, x + radius, y + radius], fill=(255, 240, 210))
    for layer in range(4):
        level, points = height * (0.5 + layer * 0.13), [(0, height)]
        for step in range(13):
            points.append((step * width / 12, level + chance.uniform(-1, 1) * height * (0.1 - layer * 0.015)))
        shade = 0.75 - layer * 0.17
        draw.polygon([*points, (width, height)], fill=tuple(round(shade * (a + b) / 2) for a, b in zip(top, bottom)))
    data = io.BytesIO()
    picture.filter(ImageFilter.GaussianBlur(0.7)).save(data, "PNG")
    return data.getvalue()


def fill(running, count=15):
    """Imports the landscapes. The newest has comments."""
    running.fill(
        count, description=lambda index: CAPTIONS[index % 6][1], location=lambda index: CAPTIONS[index % 6][0], picture=photograph)
    newest = running.ids(1)[0]
    for name, message in COMMENTS:
        running.gateway("comment", newest, message, "--username", name)
