#!/usr/bin/env python3
"""Draws the pictures of the sample feed, the one that a newcomer sees on first start, beside this file.

    python3 -m venv /tmp/sample-venv && /tmp/sample-venv/bin/pip install pillow numpy
    /tmp/sample-venv/bin/python draw.py [NAME ...]        for instance: draw.py koi.png reef.jpg

All randomness is seeded with the file name, so drawing again gives the same bytes (with the same versions of the
libraries). The words around the pictures, and their order, are in manifest.json.
"""
import math
import sys
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SCALE = 3  # everything is drawn this many times larger, then averaged down
SAVE_OPTIONS = {
    ".jpg": {"quality": 80, "optimize": True, "progressive": True},
    ".webp": {"quality": 80, "method": 6},
    ".png": {"optimize": True},
}
PICTURES = {}


def picture(name, width, height):
    def register(paint):
        PICTURES[name] = lambda: (canvas := Canvas(name, width, height), paint(canvas))[0]
        return paint
    return register


# --- The canvas: colours are "#rrggbb"; several, separated by spaces, are a gradient from top to bottom. ---

def gradient(colours, t):
    stops = np.array([[int(c[i:i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours.split()])
    at = np.linspace(0, 1, len(stops))
    return np.stack([np.interp(t, at, stops[:, k]) for k in range(3)], -1).astype(np.float32)


class Canvas:
    def __init__(self, name, width, height):
        self.name, self.w, self.h, self.frames = name, width, height, []
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.px = np.zeros((height * SCALE, width * SCALE, 3), np.float32)
        self.y, self.x = (axis.astype(np.float32) / SCALE for axis in np.ogrid[:height * SCALE, :width * SCALE])

    def some(self, low, high):
        return float(self.rng.uniform(low, high))

    def pick(self, colours):
        return colours[int(self.rng.integers(len(colours)))]

    def shape(self, points, colours, alpha=1.0, blur=0.0):
        """Fills a polygon; its gradient runs from its highest to its lowest point."""
        points, margin = np.asarray(points, float) * SCALE, int(blur * SCALE * 3)
        limit = np.array([self.px.shape[1], self.px.shape[0]])
        low = np.maximum(np.floor(points.min(0)).astype(int), 0) - margin
        high = np.minimum(np.ceil(points.max(0)).astype(int) + 1, limit) + margin
        if (high <= low).any():
            return
        mask = Image.new("L", tuple(int(v) for v in high - low))
        ImageDraw.Draw(mask).polygon([tuple(p) for p in points - low], fill=255)
        if blur:
            mask = mask.filter(ImageFilter.GaussianBlur(blur * SCALE))
        (left, top), (right, bottom) = np.maximum(low, 0), np.minimum(high, limit)
        cover = np.asarray(mask, np.float32)[top - low[1]:bottom - low[1], left - low[0]:right - low[0], None] / 255
        span = max(points[:, 1].max() - points[:, 1].min(), 1)
        paint = gradient(colours, (np.arange(top, bottom) - points[:, 1].min()) / span)[:, None]
        area = self.px[top:bottom, left:right]
        area += (paint - area) * cover * alpha

    def wash(self, mask, colours):
        """Lays a colour over the whole canvas as strongly as the mask (0…1 at each point) says."""
        self.px += (gradient(colours, self.y / self.h) - self.px) * np.asarray(mask, np.float32)[..., None]

    def glow(self, x, y, radius, colour, strength=1.0):
        """Adds light that fades with the distance."""
        rows, columns = (slice(max(int((v - 3 * radius) * SCALE), 0), max(int((v + 3 * radius) * SCALE), 0)) for v in (y, x))
        light = strength * np.exp(-((self.x[:, columns] - x) ** 2 + (self.y[rows] - y) ** 2) / radius ** 2)
        area = self.px[rows, columns]
        area += (1 - area) * light[..., None] * gradient(colour, 0)

    def noise(self, cell_w, cell_h, octaves=4):
        """Smooth random values from 0 to 1 for each point, in patches of about the given size."""
        total, height, width = 0, *self.px.shape[:2]
        for k in range(octaves):
            grid = self.rng.random((int(self.h / cell_h * 2 ** k) + 3, int(self.w / cell_w * 2 ** k) + 3), np.float32)
            total = total + np.asarray(Image.fromarray(grid).resize((width, height), Image.Resampling.BICUBIC)) / 2 ** k
        return (total - total.min()) / (total.max() - total.min())

    def clouds(self, top, bottom, colours, cover=0.5, cell=(260, 50), alpha=0.9):
        fade = np.sin(np.clip((self.y - top) / (bottom - top), 0, 1) * math.pi)
        self.wash(np.clip((self.noise(*cell, 5) - 1 + cover) * 3, 0, 1) * fade * alpha, colours)

    def stars(self, count, bottom, size=1.1):
        for _ in range(count):
            x, y, r = self.some(0, self.w), self.some(0, bottom), size * self.some(0.3, 1) ** 2
            self.shape(oval(x, y, r + 0.3), self.pick(["#ffffff", "#cfe0ff", "#fff0d0"]), self.some(0.4, 1))

    def ridge(self, base, height, bumps, rough=0.4, sharp=False):
        """A line of hills (or of sharp peaks) from the left edge to the right, to be filled with `land`."""
        x, y = np.linspace(0, self.w, 500), 0
        for k in range(6):
            wave = np.sin(x / self.w * math.tau * bumps * 2 ** k * self.some(0.8, 1.2) + self.some(0, math.tau))
            y = y + rough ** k * (2 * np.abs(wave) - 1 if sharp else wave)
        return np.stack([x, base + y * height / 2], -1)

    def land(self, line, colours, alpha=1.0):
        self.shape([*line, (self.w + 9, line[-1][1]), (self.w + 9, self.h), (-9, self.h), (-9, line[0][1])], colours, alpha)

    def mirror(self, y, tint, amount=0.4, ripple=3.0, cell=(70, 5)):
        """Makes everything below a height water that reflects what is above it."""
        height, width, top = *self.px.shape[:2], int(y * SCALE)
        depth, column = np.mgrid[:height - top, :width]
        wave = (self.noise(*cell, 3)[top:] - 0.5) * ripple * SCALE * (1 + depth / SCALE / 30)
        row = np.clip(top - 1 - depth - wave * 1.5, 0, top - 1).astype(int)
        reflected = self.px[row, np.clip(column + wave, 0, width - 1).astype(int)]
        self.px[top:] = reflected + (gradient(tint, depth[:, :1] / (height - top)) - reflected) * amount

    def keep_frame(self):
        height, width = self.px.shape[:2]
        small = self.px.reshape(height // SCALE, SCALE, width // SCALE, SCALE, 3).mean((1, 3))
        self.frames.append(Image.fromarray((np.clip(small, 0, 1) * 255 + 0.5).astype(np.uint8)))

    def save(self, folder):
        if not self.frames:
            self.keep_frame()
        path, first = folder / self.name, self.frames[0]
        if path.suffix in (".png", ".gif"):
            palette = first.quantize(48 if path.suffix == ".gif" else 128)
            first, *rest = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in self.frames]
        if path.suffix == ".gif":
            first.save(path, save_all=True, append_images=rest, duration=120, loop=0, optimize=True)
        else:
            first.save(path, **SAVE_OPTIONS[path.suffix])
        return path


# --- Outlines: lists of points to be filled. ---

def box(x, y, w, h):
    return [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]


def oval(x, y, rx, ry=None, start=0, end=360):
    steps = np.radians(np.linspace(start, end, 60))
    return np.stack([x + rx * np.cos(steps), y + (ry or rx) * np.sin(steps)], -1)


def curve(*points, steps=12):
    """A smooth line through the points (Catmull-Rom)."""
    p = np.array([points[0], *points, points[-1]], float)
    t = np.linspace(0, 1, steps)[:, None]
    return np.concatenate([b + t * (c - a) / 2 + t ** 2 * (a - 2.5 * b + 2 * c - d / 2) + t ** 3 * (1.5 * (b - c) + (d - a) / 2)
                           for a, b, c, d in zip(p, p[1:], p[2:], p[3:])])


def ribbon(path, start, end):
    """A line whose width goes from `start` to `end`."""
    path = np.asarray(path, float)
    along = np.gradient(path, axis=0)
    across = np.stack([-along[:, 1], along[:, 0]], -1) / np.maximum(np.hypot(*along.T), 1e-6)[:, None]
    half = np.linspace(start, end, len(path))[:, None] / 2
    return np.concatenate([path + across * half, (path - across * half)[::-1]])


def place(points, x, y, size=1.0, turn=0.0, stretch=1.0):
    """Moves an outline drawn around (0, 0) to where it belongs."""
    a = math.radians(turn)
    return np.asarray(points, float) * (size * stretch, size) @ [[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]] + (x, y)


def pine(c, x, y, height, colours):
    for k in range(5):
        w, top = height * (0.09 + 0.05 * k), y - height + k * height * 0.17
        c.shape(curve((x, top), (x + w * 0.4, top + height * 0.17), (x + w, top + height * 0.3), (x, top + height * 0.26),
                      (x - w, top + height * 0.3), (x - w * 0.4, top + height * 0.17), (x, top), steps=4), colours)


def branch(c, x, y, angle, length, width, colour, depth, tips):
    """A tree (or a coral) that forks until `depth` is 0; the ends of its twigs are added to `tips`."""
    end = x + length * math.cos(angle), y - length * math.sin(angle)
    c.shape(ribbon([(x, y), end], width, width * 0.7), colour)
    c.shape(oval(*end, width * 0.35), colour)
    if depth == 0:
        tips.append(end)
        return
    for side in (-1, 1) if depth % 2 else (-1, 0.15, 1):
        branch(c, *end, angle + side * c.some(0.25, 0.6), length * c.some(0.68, 0.86), width * 0.68, colour, depth - 1, tips)


def bird(c, x, y, size, colour="#2a2438"):
    c.shape(place(curve((-1, -0.3), (-0.5, -0.5), (0, 0), (0.5, -0.5), (1, -0.3), (0.5, -0.35), (0, 0.15), (-0.5, -0.35),
                        (-1, -0.3)), x, y, size, c.some(-15, 15)), colour)


# --- The pictures. ---

@picture("lighthouse.jpg", 640, 800)
def lighthouse(c):
    c.shape(box(0, 0, 640, 580), "#22305f #6a5591 #d97b82 #ffb27a #ffe3ad")
    c.clouds(60, 520, "#ffd0b0 #ffb7a0 #ff9e90 #fff0c8", 0.42, (320, 40), 0.7)
    c.glow(165, 545, 170, "#ffdf9e", 0.8)
    c.shape(oval(165, 540, 36), "#fff6d8 #ffe9a8")
    c.land(c.ridge(566, 22, 1.5), "#8a5f86 #8a5f86")
    c.mirror(580, "#7a4f7c #1d2450", 0.45, 2.5)
    c.land(curve((270, 810), (315, 740), (360, 690), (410, 628), (470, 606), (540, 612), (600, 590), (650, 570)), "#4b3555 #17122b")
    for _ in range(90):
        x = c.some(300, 640)
        y = c.some(630, 800) + max(0, 460 - x) * 0.55
        c.shape(place([(-1, 0), (-0.3, -0.6), (0.7, -0.4), (1, 0.1), (0, 0.3)], x, y, c.some(6, 22)),
                c.pick(["#6b4a68", "#3a2a4a", "#8a5c6c", "#241a38"]), 0.5)
    for k in range(7):
        wide = [30 + 20 * i / 7 for i in (k, k + 1)]
        c.shape([(490 - wide[0], 270 + 49 * k), (490 + wide[0], 270 + 49 * k), (490 + wide[1], 319 + 49 * k),
                 (490 - wide[1], 319 + 49 * k)], "#fff4e2" if k % 2 == 0 else "#2a2f52")
    for k in range(9):
        c.shape([(484 + 3 * k, 270), (520, 270), (540, 613), (480 + 6 * k, 613)], "#1c1440", 0.07)
    for side in (-1, 1):
        c.shape([(490, 228), (490 + side * 700, 90), (490 + side * 700, 250)], "#fff1b8", 0.3, 8)
    c.shape(box(452, 258, 76, 12), "#23264a")
    c.shape(box(468, 212, 44, 46), "#fff3b0 #ffd873")
    for x in (466, 481, 496, 511):
        c.shape(box(x, 212, 3, 46), "#23264a")
    c.shape(curve((460, 213), (468, 196), (490, 182), (512, 196), (520, 213)), "#b4474f #7c2f45")
    c.glow(490, 234, 55, "#ffe9a0", 0.6)
    for x, y, s in ((120, 250, 15), (165, 280, 11), (215, 235, 13), (300, 330, 9)):
        bird(c, x, y, s)


@picture("balloons.jpg", 800, 600)
def balloons(c):
    c.shape(box(0, 0, 800, 600), "#6fa6d6 #a9cbe2 #fbe3c4 #ffc9a0")
    c.clouds(30, 380, "#fff6e8", 0.45, (300, 50), 0.7)
    c.glow(620, 400, 170, "#fff0c0", 0.9)
    for base, near, colours in ((430, 0.5, "#e9b7a2 #e2a58f"), (480, 0.8, "#d99a80 #c98468"), (535, 1.2, "#b9714f #8a4d38")):
        line = c.ridge(base, 40, 2.2)
        c.land(line, colours)
        for x, y in line[::int(34 * near)]:
            w, h, x = c.some(9, 20) * near, c.some(26, 62) * near, x + c.some(-15, 15)
            c.shape(curve((x - w, y + 40), (x - w * 0.7, y - h * 0.5), (x, y - h), (x + w * 0.7, y - h * 0.5), (x + w, y + 40)), colours)
            c.shape(curve((x + w * 0.1, y + 30), (x + w * 0.3, y - h * 0.5), (x, y - h), (x + w * 0.7, y - h * 0.5),
                          (x + w, y + 30)), "#7a3f34", 0.16)
    dyes = ["#d1495b #edae49", "#00798c #f4f1de", "#30638e #f2cc8f", "#e07a5f #f4f1de", "#81b29a #f9e2ae", "#6d597a #f2b5a0"]
    for k, (x, y, r) in enumerate(((690, 330, 17), (330, 350, 15), (480, 300, 22), (90, 310, 24), (585, 200, 36), (265, 235, 40),
                                   (420, 110, 46), (700, 110, 60), (140, 150, 84))):
        outer, inner = dyes[k % 6].split()
        for n, wide in enumerate((1, 0.78, 0.5, 0.2)):
            half = curve((0, -1), (0.62, -0.8), (0.98, -0.2), (0.8, 0.5), (0.3, 1.1), (0.16, 1.25))
            gore = np.concatenate([half * (wide, 1), (half * (-wide, 1))[::-1]])
            c.shape(place(gore, x, y, r), (outer, inner)[n % 2])
        c.shape(place(np.concatenate([half, (half * (0.35, 1))[::-1]]), x, y, r), "#2a1840", 0.16, r * 0.06)
        c.shape(place(oval(-0.4, -0.4, 0.25, 0.4), x, y, r, 20), "#ffffff", 0.25, r * 0.12)
        for side in (-0.14, 0.14):
            c.shape(place(ribbon([(side, 1.2), (side * 0.8, 1.6)], 0.025, 0.025), x, y, r), "#4a3528")
        c.shape(place(box(-0.14, 1.55, 0.28, 0.22), x, y, r), "#8a5a34 #5a3820")


@picture("mountains.jpg", 800, 600)
def mountains(c):
    c.shape(box(0, 0, 800, 600), "#3f5f9e #8f9fd0 #f3c6b4 #ffdf9f #ffdf9f")
    c.clouds(20, 300, "#ffe6d0", 0.42, (340, 36), 0.6)
    c.glow(540, 215, 190, "#fff0b8", 0.9)
    c.shape(oval(540, 210, 44), "#fffbe6 #ffeeb0")
    layers = ("#c9a5bb #e3bdb6", "#a68bb4 #d4aab4", "#7d75a8 #b899b4", "#57608f #8f88ad", "#3a4a76 #65709c", "#22355a #3f5480")
    for k, colours in enumerate(layers):
        c.land(c.ridge(250 + 48 * k, 120 - 9 * k, 0.9 + 0.25 * k, 0.46, sharp=True), colours)
        c.clouds(270 + 48 * k, 370 + 48 * k, "#ffe9dc", 0.5, (260, 30), 0.55)
    line = c.ridge(575, 40, 1)
    for x, y in line[::7]:
        pine(c, x + c.some(-4, 4), y + 12, c.some(40, 95), "#16263f #0d1a2c")
    c.land(line, "#101e33 #0a1422")
    for x, y, s in ((300, 130, 12), (335, 112, 9), (360, 142, 10)):
        bird(c, x, y, s)


@picture("sailboats.jpg", 800, 600)
def sailboats(c):
    c.shape(box(0, 0, 800, 330), "#2f86cf #7cc0ea #d8f0f6")
    c.clouds(10, 320, "#ffffff", 0.5, (240, 80))
    for base, colours in ((316, "#a9bfc9 #b8cad0"), (325, "#8a9f8c #b5b08a")):
        c.land(c.ridge(base, 46, 0.9, 0.45), colours)
    c.mirror(330, "#3fa7c9 #0c5a92", 0.72, 4, (60, 7))
    for _ in range(500):
        y = 332 + 268 * c.some(0, 1) ** 1.6
        near = (y - 325) / 275
        c.shape(oval(c.some(0, 800), y, 2 + 13 * near, 0.5 + 1.1 * near), c.pick(["#ffffff", "#8fdcec", "#0a4a80"]), 0.4)
    for x, y, s, hull, sail in ((640, 350, 34, "#7a3b2e", "#fff8ea #f0e2cc"), (130, 372, 50, "#20406a", "#ffb86b #f08a4b"),
                                (400, 468, 120, "#b83b3b #7a2230", "#fffdf5 #f3e4cd")):
        for k in range(14):
            c.shape(oval(x + c.some(-8, 8) * s / 60, y + s * (0.12 + 0.06 * k), s * (0.8 - 0.05 * k), s * 0.025),
                    "#f3efe4" if k % 2 else "#174f74", 0.4)
        c.shape(place(ribbon([(0, 0), (0.04, -1.95)], 0.035, 0.02), x, y, s), "#5a4030")
        c.shape(place([*curve((0.08, -1.88), (0.45, -1.2), (0.75, -0.6), (0.86, -0.2)), (0.06, -0.22)], x, y, s), sail)
        c.shape(place([*curve((-0.02, -1.75), (-0.25, -1.1), (-0.55, -0.5), (-0.82, -0.14)), (-0.04, -0.3)], x, y, s), sail)
        c.shape(place([*curve((-0.02, -1.75), (-0.25, -1.1), (-0.55, -0.5), (-0.82, -0.14)), (-0.04, -0.3)], x, y, s), "#40608a", 0.15)
        c.shape(place(curve((-0.95, -0.1), (-0.6, 0.12), (0, 0.17), (0.6, 0.14), (0.88, -0.05), (0, -0.03), (-0.95, -0.1)), x, y, s), hull)
    for x, y, s in ((250, 120, 12), (285, 140, 9), (560, 90, 10)):
        bird(c, x, y, s, "#f8fbff")


@picture("aurora.jpg", 800, 600)
def aurora(c):
    c.shape(box(0, 0, 800, 600), "#050b24 #0a1c3f #123a55 #17505c")
    c.stars(260, 380)
    for base, sway, strength in ((300, 60, 0.6), (255, 90, 0.9), (190, 60, 0.45)):
        path = base + sway * np.sin(c.x / c.some(95, 150) + c.some(0, 6)) * np.sin(c.x / 260 + c.some(0, 6)) - c.x * 0.08
        rays = 0.35 + 0.65 * c.noise(26, 4000, 3)[:1] * (0.4 + 0.9 * c.noise(200, 4000, 2)[:1])
        up = path - c.y
        light = np.where(up > 0, np.exp(-up / (60 + 110 * rays)), np.exp(up / 7)) * rays * strength
        tint = gradient("#b8ffb0 #4dffa0 #2fe0b0 #5a7dff #a54dff", np.clip(up / 260, 0, 1))
        c.px += (1 - c.px) * light[..., None] * tint
    c.land(c.ridge(395, 130, 1.1, 0.48, sharp=True), "#5f86a0 #2a4f6e #16304e")
    c.land(c.ridge(420, 50, 1.8, 0.5, sharp=True), "#1d3a58 #12263f")
    c.mirror(440, "#0a2038 #04101f", 0.35, 1.6)
    for x in np.arange(-10, 330, 15):
        pine(c, x + c.some(-5, 5), 596 + x * 0.05, c.some(70, 170) * (1 - x / 420), "#06131f #03090f")
    c.land(curve((-10, 560), (120, 580), (330, 604), (810, 640)), "#050f1a")


@picture("moonrise.webp", 600, 800)
def moonrise(c):
    c.shape(box(0, 0, 600, 800), "#070a26 #161f4f #3c3f7d #7d639a #c98ba0")
    c.stars(230, 620)
    c.glow(380, 290, 240, "#b9c2ff", 0.5)
    c.shape(oval(380, 290, 128), "#fffbea #f3e3c3")
    moon = np.clip((128 - np.hypot(c.x - 380, c.y - 290)) / 4, 0, 1)
    c.wash(np.clip(c.noise(90, 90) * 3 - 1.5, 0, 1) * moon * 0.4, "#b39c94")
    for _ in range(26):
        angle, away, r = c.some(0, math.tau), 112 * c.some(0, 1) ** 0.5, c.some(2, 10)
        x, y = 380 + away * math.cos(angle), 290 + away * math.sin(angle)
        c.shape(oval(x, y, r), "#c7b2a2", 0.5)
        c.shape(oval(x + r * 0.15, y + r * 0.2, r * 0.8), "#fff3d8", 0.6)
    c.clouds(300, 640, "#e0b8d0", 0.5, (360, 36), 0.75)
    c.land(c.ridge(640, 40, 1.3), "#4a3f70 #2c2850")
    c.land(c.ridge(690, 30, 0.8), "#251f45 #120f28")
    tips = []
    c.land(curve((-10, 742), (150, 700), (330, 716), (610, 770)), "#0d0a20 #05040f")
    branch(c, 170, 720, 1.5, 115, 24, "#0d0a20", 6, tips)
    for x, y in tips:
        for _ in range(5):
            c.shape(oval(x + c.some(-13, 13), y + c.some(-10, 10), c.some(3, 9), c.some(2, 6)), c.pick(["#0d0a20", "#17112f"]))
    for x, y, s in ((455, 230, 13), (480, 252, 10), (430, 255, 9)):
        bird(c, x, y, s, "#1a1438")


@picture("skyline.jpg", 800, 560)
def skyline(c):
    c.shape(box(0, 0, 800, 400), "#1b2150 #54407f #b3557f #f58d6a #ffc778")
    c.clouds(30, 330, "#ffb08a #ff8f80", 0.42, (330, 34), 0.6)
    c.glow(250, 400, 190, "#ffc070", 0.7)
    layers = ((400, 70, 150, "#8a4f82 #c06c7c", 0), (400, 60, 210, "#4a3570 #7a4a78", 0.35), (400, 25, 120, "#1d1a44 #2c2452", 0.6))
    for base, low, high, colours, lit in layers:
        x = -20
        while x < 800:
            w, h = c.some(26, 62), c.some(low, high) * (0.75 + 0.5 * math.exp(-((x - 430) / 200) ** 2))
            top = base - h
            c.shape(box(x, top, w, h), colours)
            roof = c.pick("flat step spire slope".split())
            if roof == "step":
                c.shape(box(x + w * 0.2, top - 14, w * 0.6, 15), colours.split()[0])
            elif roof == "spire" and h > 90:
                c.shape([(x + w * 0.3, top), (x + w / 2, top - h * 0.3), (x + w * 0.7, top)], colours.split()[0])
            elif roof == "slope":
                c.shape([(x, top + 1), (x, top - 18), (x + w, top + 1)], colours.split()[0])
            for row in np.arange(top + 8, base - 6, 9):
                for column in np.arange(x + 5, x + w - 6, 8):
                    if lit and c.some(0, 1) < lit * 0.75:
                        c.shape(box(column, row, 4, 5), c.pick(["#ffe9a0", "#ffd37a", "#fff6d0", "#ffb65c"]), c.some(0.5, 1))
            x += w + c.some(-6, 10)
    c.shape(box(0, 394, 800, 8), "#141030")
    for x in range(10, 800, 44):
        c.glow(x, 390, 9, "#ffdc90", 0.9)
    c.mirror(400, "#3c2a5c #0d0b24", 0.35, 3)


@picture("dunes.jpg", 720, 720)
def dunes(c):
    c.shape(box(0, 0, 720, 720), "#3b7fb8 #9cc4d6 #ffe2b0 #ffcf8f")
    c.glow(560, 170, 160, "#fff6d0")
    c.shape(oval(560, 170, 34), "#fffdf0")
    c.land(c.ridge(318, 40, 1.1), "#eab683 #d99a62")
    dune_lines = (((-10, 400), (150, 330), (260, 300), (420, 362), (560, 340), (730, 380)),
                  ((-10, 390), (180, 440), (390, 400), (520, 345), (640, 400), (730, 420)),
                  ((-10, 560), (130, 500), (280, 440), (430, 520), (600, 560), (730, 500)),
                  ((-10, 610), (200, 650), (420, 620), (570, 560), (730, 640)))
    for k, points in enumerate(dune_lines):
        line, crest = curve(*points), min(points[1:-1], key=lambda p: p[1])
        c.land(line, ("#f4c283 #d98a4a", "#f0b26c #c9713a", "#eba55a #b55a30", "#e0914a #8f3f28")[k])
        x, y = crest
        shade = [p for p in line if p[0] <= x]
        c.shape([*shade, *curve((x, y), (x - 14, y + 40), (x + 40, y + 110), (x - 10, y + 190), (x + 60, y + 330)), (-10, y + 340)],
                ("#b8743f #e0a468", "#a85c34 #d08c50", "#96482c #c06a3a", "#7a3424 #9a4a2c")[k], 0.75)
    ripples = np.sin((c.y + c.x * 0.25 + 26 * c.noise(120, 60, 3)) / 2.2) * np.clip((c.y - 500) / 220, 0, 1)
    c.wash(np.clip(ripples, 0, 1) * 0.16, "#ffd9a0")
    for k in range(5):
        x, y = 318 + 44 * k, 452 + 17 * k + 4 * max(k - 2, 0)
        body = curve((-0.5, -0.55), (-0.3, -0.8), (-0.05, -1.12), (0.2, -0.82), (0.45, -0.72), (0.62, -0.9), (0.68, -1.2),
                     (0.95, -1.22), (0.92, -1.08), (0.78, -1.05), (0.7, -0.65), (0.42, -0.48), (-0.3, -0.46), (-0.5, -0.55))
        c.shape(place(body, x, y, 22), "#3a1c18")
        for leg in (-0.42, -0.28, 0.25, 0.38):
            c.shape(place(ribbon([(leg, -0.6), (leg + c.some(-0.08, 0.08), 0.05)], 0.13, 0.05), x, y, 22), "#3a1c18")


@picture("rainbow.jpg", 800, 600)
def rainbow(c):
    c.shape(box(0, 0, 800, 600), "#4f7fae #8fb8d6 #dcebee")
    c.clouds(-60, 330, "#ffffff #e8eef4", 0.55, (280, 90))
    away = np.hypot(c.x - 430, c.y - 520)
    bow = gradient("#8a4fff #4f6bff #35b8e0 #4fd06a #ffe34d #ff9a3c #ff4d4d", np.clip((away - 330) / 62, 0, 1))
    strength = np.clip(1 - np.abs(away - 361) / 34, 0, 1) ** 0.6 * 0.62
    c.px += (bow - c.px) * strength[..., None]
    c.shape(oval(430, 520, 328), "#ffffff", 0.14, 14)
    greens = ("#8fb3a2 #8fb59a", "#7fb27c #6ea366", "#86bf5c #5c9a48", "#6fae45 #3f7f35")
    for k, colours in enumerate(greens):
        line = c.ridge(400 + 48 * k, 44, 0.8 + 0.2 * k, 0.3)
        c.land(line, colours)
        for x, y in line[int(c.some(0, 20))::int(c.some(24, 40))] if k else ():
            for _ in range(5):
                r = c.some(4, 7) * (0.6 + 0.5 * k)
                c.shape(oval(x + c.some(-1.2, 1.2) * r, y - r * c.some(0.2, 1.6), r), c.pick(["#3f7a44", "#4f8f48", "#356b3f", "#639c4c"]))
    for _ in range(26):
        x, y = c.some(40, 500), c.some(556, 592)
        s = (y - 500) / 13
        c.shape(oval(x, y + s * 0.5, s * 1.1, s * 0.3), "#2a5a26", 0.5)
        c.shape(oval(x, y, s, s * 0.65), "#ffffff #dcd8cc")
        c.shape(oval(x + s, y - s * 0.2, s * 0.36), "#3a3430")
    c.shape(box(610, 482, 74, 44), "#fbf4e6 #e6d9c0")
    c.shape([(600, 484), (618, 456), (676, 456), (694, 484)], "#a4553f #8a4434")
    for x, y, w, h in ((622, 494, 12, 13), (660, 494, 12, 13), (640, 497, 13, 29)):
        c.shape(box(x, y, w, h), "#4a6a78" if w == 12 else "#b5413a")
    c.shape(box(664, 448, 9, 20), "#8a6a58")


@picture("geometry.png", 640, 640)
def geometry(c):
    inks = ["#1d3557", "#e63946", "#f1a208", "#2a9d8f", "#f4ead5", "#e9c8a7", "#6d597a"]
    size = 128
    for row in range(5):
        for column in range(5):
            x, y, turn = column * size, row * size, 90 * int(c.rng.integers(4))
            ground, ink, accent = (inks[k] for k in c.rng.permutation(len(inks))[:3])
            quarter = np.concatenate([[(-0.5, -0.5)], oval(-0.5, -0.5, 1, start=0, end=90)])
            half = oval(0, 0, 0.5, start=0, end=180)
            motif = {
                "quarters": [(quarter, ink), (-0.5 + (quarter + 0.5) * 0.66, accent), (-0.5 + (quarter + 0.5) * 0.33, ground)],
                "leaf": [(np.concatenate([oval(-0.5, -0.5, 1, start=0, end=90), oval(0.5, 0.5, 1, start=180, end=270)]), ink),
                         (oval(0, 0, 0.14), accent)],
                "halves": [(half - (0, 0.5), ink), (half, accent)],
                "sun": [(oval(0, 0, 0.42), ink), (oval(0, 0, 0.26), ground), (oval(0, 0, 0.12), accent)],
                "sails": [([(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5)], ink), ([(-0.5, -0.5), (0, -0.5), (-0.5, 0)], accent)],
                "stripes": [(box(-0.5, -0.5 + k / 4, 1, 0.125), (ink, accent)[k % 2]) for k in range(4)],
            }[c.pick("quarters leaf halves sun sails stripes".split())]
            c.shape(box(x, y, size, size), ground)
            for outline, colour in motif:
                c.shape(place(outline, x + size / 2, y + size / 2, size, turn), colour)


@picture("dahlia.webp", 640, 640)
def dahlia(c):
    c.shape(box(0, 0, 640, 640), "#12301f #1f4a33 #0d2419")
    for _ in range(34):
        c.shape(oval(c.some(0, 640), c.some(0, 640), c.some(14, 60)), c.pick(["#3f7a4a", "#86a85a", "#2a5f4a", "#d9b86a"]), 0.2, 9)
    petal = curve((0, 0), (0.1, -0.3), (0.17, -0.62), (0.11, -0.88), (0, -1), (-0.11, -0.88), (-0.17, -0.62), (-0.1, -0.3), (0, 0))
    dyes = ("#c2185b #7a1050", "#d93672 #8f155c", "#e85a83 #a81f62", "#f27d92 #c23468", "#f8a1a0 #d9506f", "#fcc4ac #e8737a",
            "#fee0bc #f29a86", "#fff0cc #f7bf94")
    for ring, (edge, heart) in enumerate(d.split() for d in dyes):
        count, size = 22 - ring, 292 * 0.8 ** ring
        for k in range(count):
            turn = 360 / count * (k + ring * 0.5)
            c.shape(place(petal, 320, 326, size * 1.02, turn, 1.5), "#3a0830", 0.35, 5)
            for n in range(7):
                tone = gradient(f"{edge} {heart}", n / 7) * 255
                inner = place(petal * (1 - n * 0.14, 1 - n * 0.1), 320, 320, size, turn, 1.35)
                c.shape(inner, "#%02x%02x%02x" % tuple(int(v) for v in tone), 0.75)
    for k in range(60):
        r = 2.6 * k ** 0.5
        c.shape(oval(320 + r * math.cos(k * 2.4), 320 + r * math.sin(k * 2.4), 3), c.pick(["#ffe9a8", "#f7c66a", "#e89a4a"]))


@picture("wave.webp", 800, 600)
def wave(c):
    c.shape(box(0, 0, 800, 600), "#f3e2c0 #f6d7a8 #f2b98a")
    c.shape(oval(560, 190, 74), "#e2543f #f08a5a")
    c.clouds(40, 330, "#fff3da", 0.45, (360, 34), 0.8)
    c.land(c.ridge(420, 26, 1.6), "#7fa3b5 #4d7fa0")
    c.land(c.ridge(455, 36, 2.1, 0.3), "#4d86a8 #2a5f8c")
    back = curve((-20, 520), (60, 400), (150, 270), (260, 160), (370, 112), (460, 120), (520, 165), (545, 225), (530, 262))
    lip = curve((530, 262), (500, 225), (455, 205), (400, 215), (350, 262), (325, 335), (335, 420), (390, 490), (500, 535), (640, 530), (820, 470))
    c.shape([*back, *lip, (820, 620), (-20, 620)], "#2f86b0 #1f5f96 #123a70")
    for k in range(1, 9):
        t = k / 9
        streak = curve(*(np.array(a) * (1 - t) + np.array(b) * t for a, b in zip(
            ((40, 600), (80, 440), (170, 290), (270, 190), (370, 140), (450, 142), (510, 185)),
            ((420, 600), (345, 500), (318, 400), (325, 315), (358, 250), (420, 205), (480, 210)))))
        c.shape(ribbon(streak, 16 - k, 2), "#bfe6ea #8fd0e0 #3f93bf", 0.55)
    crest = np.concatenate([back[len(back) // 2:], lip[:40]])
    for x, y in crest[::2]:
        for _ in range(3):
            c.shape(oval(x + c.some(-13, 13), y + c.some(-10, 12), c.some(4, 13)), c.pick(["#ffffff", "#f2fbfb", "#d8eff2"]))
    for _ in range(190):
        t = c.some(0, 1)
        x, y = 380 + 230 * t + c.some(-60, 40), 80 + 230 * t ** 2 + c.some(-50, 70)
        c.shape(oval(x, y, c.some(0.8, 3.6)), "#ffffff", 0.9)
    for base, colours in ((535, "#2a78a8 #174f86"), (572, "#174a80 #0c2a58")):
        line = c.ridge(base, 34, 2.2, 0.35)
        c.land(line, colours)
        c.shape(ribbon(line, 7, 7), "#e6f6f6")
        c.shape(ribbon(line + (0, 12), 3, 3), "#8fcbdc", 0.7)


@picture("autumn.jpg", 600, 800)
def autumn(c):
    c.shape(box(0, 0, 600, 800), "#f8d98a #f2b155 #d9772f #7a3b1e")
    c.glow(330, 240, 200, "#fff3c0", 0.8)
    leaves = ["#e8862a", "#d1541f", "#f2b532", "#b8371c", "#f7d04a", "#c96a1e"]
    for _ in range(170):
        c.shape(oval(c.some(0, 600), c.some(-20, 520), c.some(10, 42)), c.pick(leaves), 0.35, 8)
    c.land(c.ridge(610, 24, 1), "#c4702a #8a4320")
    for depth, count in ((0.35, 9), (0.6, 6), (1, 4)):
        for k in range(count):
            x, w = (k + c.some(0.1, 0.9)) * 600 / count, 34 * depth
            foot, lean = 590 + 150 * depth, c.some(-22, 22)
            trunk = [(x, foot + 6), (x + lean * 0.4, foot - 350), (x + lean, -20)]
            c.shape(ribbon(trunk, w * 1.15, w * 0.75), "#fff6e2 #f0dcc4 #c9a890", 0.35 + 0.65 * depth)
            c.shape(ribbon(np.array(trunk) + (w * 0.28, 0), w * 0.5, w * 0.3), "#7a4a3a", 0.28 * depth)
            for _ in range(int(26 * depth)):
                t = c.some(0, 1)
                y, side = foot - t * foot, c.pick([-1, 1])
                middle = x + lean * t
                c.shape(place([(0.5, -0.12), (0.5, 0.12), (-0.35, 0.03)], middle, y, w * c.some(0.7, 1.05), stretch=side), "#3a2620", 0.8 * depth)
        for _ in range(int(90 * depth)):
            r = c.some(5, 13) * depth
            x, y = c.some(0, 600), c.some(0, 330)
            for _ in range(5):
                c.shape(oval(x + c.some(-22, 22), y + c.some(-18, 18), r, r * 0.7), c.pick(leaves), 0.85)
    c.land(c.ridge(748, 16, 1.2), "#a8521f #5f2a18")
    leaf = curve((0, -1), (0.5, -0.35), (0.38, 0.4), (0, 1), (-0.38, 0.4), (-0.5, -0.35), (0, -1))
    for _ in range(420):
        y = 800 - 130 * c.some(0, 1) ** 0.8
        c.shape(place(leaf, c.some(0, 600), y, 4 + (y - 660) / 20, c.some(0, 180)), c.pick(leaves), 0.9)
    for _ in range(40):
        c.shape(place(leaf, c.some(0, 600), c.some(250, 700), c.some(5, 9), c.some(0, 180)), c.pick(leaves))


@picture("snowfall.gif", 480, 600)
def snowfall(c):
    c.shape(box(0, 0, 480, 600), "#26355f")
    for base, colour in ((330, "#33466f"), (380, "#445a85")):
        c.land(c.ridge(base, 110, 0.9, 0.4, sharp=True), colour)
    for x in range(0, 490, 20):
        pine(c, x, 440 + c.some(-6, 6), c.some(60, 120), "#1f2f52")
    c.land(c.ridge(438, 18, 1), "#aebfdc")
    for x, y, s in ((120, 500, 74), (345, 520, 104)):
        c.shape(place([(-0.55, 0), (-0.55, -0.5), (0, -1.3), (0.55, -0.5), (0.55, 0)], x, y, s), "#5a3d38")
        c.shape(place([(0, -1.62), (0.82, -0.28), (0.68, -0.28), (0, -1.3), (-0.68, -0.28), (-0.82, -0.28)], x, y, s), "#eef4ff")
        for wx, wy, w, h in ((-0.36, -0.36, 0.24, 0.24), (0.12, -0.36, 0.24, 0.24), (-0.12, -0.82, 0.24, 0.2)):
            c.shape(place(box(wx, wy, w, h), x, y, s), "#ffd06b")
            for bar in (box(wx + w / 2 - 0.012, wy, 0.024, h), box(wx, wy + h / 2 - 0.012, w, 0.024)):
                c.shape(place(bar, x, y, s), "#5a3d38")
    c.land(c.ridge(520, 22, 0.8, 0.3), "#dfe8f7")
    for x, y, h in ((30, 560, 150), (215, 545, 110), (450, 575, 170)):
        pine(c, x, y, h, "#2a4560")
        pine(c, x - 2, y - h * 0.07, h * 0.8, "#eef4ff")
    c.land(c.ridge(575, 16, 0.7, 0.3), "#ffffff")
    scene, count = c.px.copy(), 8
    flakes = [(c.some(0, 480), c.some(0, 600), c.some(1.2, 3.4), int(c.rng.integers(1, 3))) for _ in range(130)]
    for k in range(count):
        c.px = scene.copy()
        for x, y, r, speed in flakes:
            sway = 5 * math.sin(math.tau * k / count + x)
            c.shape(oval(x + sway, (y + k / count * 75 * speed) % 75 + y // 75 * 75, r), "#ffffff")
        c.keep_frame()


@picture("galaxy.jpg", 720, 720)
def galaxy(c):
    c.shape(box(0, 0, 720, 720), "#060614 #0b0a22 #060614")
    c.wash(np.clip(c.noise(300, 300) - 0.45, 0, 1) * 0.5, "#3a1f5f #1f2f6a")

    def cloud(count, spread, arms, reach, colour, light, blur):
        r = reach * c.rng.random(count) ** 0.75
        angle = np.log(r / 14 + 0.25) * 2.1 + c.rng.integers(0, arms, count) * math.tau / arms + c.rng.normal(0, spread, count)
        x, y = place(np.stack([r * np.cos(angle), r * np.sin(angle) * 0.62], -1), 360, 360, 1, -24).T
        grid = np.histogram2d(y, x, 720, ((0, 720), (0, 720)))[0].astype(np.float32)
        grid = np.asarray(Image.fromarray(grid).filter(ImageFilter.BoxBlur(blur)).filter(ImageFilter.BoxBlur(blur)))
        glow = 1 - np.exp(-np.asarray(Image.fromarray(grid).resize((720 * SCALE,) * 2, Image.Resampling.BICUBIC)) * light)
        c.px += (1 - c.px) * np.clip(glow, 0, 1)[..., None] * gradient(colour, 0)

    cloud(260000, 0.55, 2, 330, "#5f6fd8", 0.22, 5)
    cloud(160000, 0.26, 2, 310, "#8fb0ff", 0.3, 3)
    cloud(60000, 0.16, 2, 290, "#d9e6ff", 0.35, 1)
    cloud(9000, 0.2, 2, 270, "#ff6fa8", 1.2, 4)
    cloud(90000, 3, 1, 90, "#ffcf8f", 0.3, 4)
    c.glow(360, 360, 60, "#ffd9a0", 0.8)
    c.glow(360, 360, 22, "#fff6e0")
    c.stars(420, 720, 1.3)
    for _ in range(9):
        x, y = c.some(0, 720), c.some(0, 720)
        c.glow(x, y, 5, c.pick(["#bcd0ff", "#ffe0b8"]), 0.8)
        c.shape(oval(x, y, 1.3), "#ffffff")


@picture("terraces.jpg", 640, 800)
def terraces(c):
    c.shape(box(0, 0, 640, 800), "#7fb8d8 #dcecdc #fff0c8 #fff0c8")
    c.glow(470, 130, 120, "#fff6d0", 0.9)
    for k, colours in enumerate(("#a9c4c4 #c8d8cc", "#7fa8a0 #a8c4b0", "#5a8f78 #86b090")):
        c.land(c.ridge(210 + 42 * k, 110 - 16 * k, 0.8 + 0.3 * k, 0.45), colours)
        c.clouds(210 + 44 * k, 330 + 44 * k, "#ffffff", 0.5, (240, 34), 0.7)
    x = np.linspace(-10, 650, 160)
    slope = 34 * np.sin(x / 120 + 0.5) + 16 * np.sin(x / 55 + 2)
    for k in range(17):
        near = k / 16
        y = 330 + 480 * near ** 1.35 + slope * (0.5 + 0.9 * near) * (1 - 0.25 * k % 2) + 7 * np.sin(x / 38 + k * 1.7) - (x - 320) * 0.1
        line, step = np.stack([x, y], -1), 5 + 17 * near
        c.land(line, "#8a6a3a #5f4a2a" if k % 3 == 2 else "#4f8a34 #2f6a2a")
        c.land(line + (0, -step * 0.45), "#b8d860 #6fa83f")
        pool = line[int(c.some(0, 50)):int(c.some(80, 160))] if k % 3 == 1 else line[:0]
        if len(pool):
            c.shape(np.concatenate([pool + (0, step * 0.1), (pool + (0, step * 1.2))[::-1]]), "#e8f4f0 #a8d4e4 #fff0c8")
        for px, py in line[::3]:
            if k % 3 != 1:
                tuft = place([(-0.3, 0), (-0.5, -0.9), (-0.1, -0.3), (0, -1.1), (0.1, -0.3), (0.5, -0.9), (0.3, 0)],
                             px + c.some(-3, 3), py + step * 0.5, step * 0.5)
                c.shape(tuft, c.pick(["#5f9a34", "#d0e878", "#86b844"]), 0.8)
    for px, py, s in ((90, 560, 150), (130, 575, 110), (590, 690, 190)):
        c.shape(ribbon(curve((px, py), (px + s * 0.05, py - s * 0.5), (px + s * 0.02, py - s)), s * 0.06, s * 0.03), "#6a5038 #4a3828")
        for angle in range(-200, 40, 26):
            a = math.radians(angle)
            tip = px + s * 0.5 * math.cos(a), py - s + s * 0.32 * math.sin(a) + s * 0.16
            c.shape(ribbon(curve((px + s * 0.02, py - s), ((px + tip[0]) / 2, (py - s + tip[1]) / 2 - s * 0.13), tip), s * 0.07, 1),
                    c.pick(["#2f6a3a", "#3f7f3a", "#24583a"]))


if __name__ == "__main__":
    for file in sys.argv[1:] or PICTURES:
        print(PICTURES[file]().save(Path(__file__).parent))
