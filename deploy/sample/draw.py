#!/usr/bin/env python3
"""Draws the pictures of the sample feed and writes them beside this file. A new deployment imports them.

    python3 -m venv /tmp/sample-venv && /tmp/sample-venv/bin/pip install pillow numpy
    /tmp/sample-venv/bin/python draw.py [NAME ...]        for instance: draw.py koi.png reef.jpg

Randomness is seeded with the file name, so drawing again gives the same bytes (with the same versions of the
libraries). manifest.json has the order of the pictures and their texts.
"""
import math
import sys
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

SCALE = 3  # pictures are drawn this many times larger, then scaled down
MAX_BYTES = 26_000  # the quality of a JPEG or WebP is reduced until it fits
PICTURES = {}

def picture(name, width, height, zoom=1.0):
    def register(paint):
        PICTURES[name] = lambda: (canvas := Canvas(name, width, height, zoom), paint(canvas))[0]
    return register

# --- Outlines: lists of points to be filled. ---

def box(x, y, w, h):
    return [(x, y), (x + w, y), (x + w, y + h), (x, y + h)]

def oval(x, y, rx, ry=None, start=0, end=360):
    steps = np.radians(np.linspace(start, end, 60))
    return np.stack([x + rx * np.cos(steps), y + (ry or rx) * np.sin(steps)], -1)

def curve(*points):
    """A smooth line through the points (Catmull-Rom)."""
    p, t = np.array([points[0], *points, points[-1]], float), np.linspace(0, 1, 12)[:, None]
    return np.concatenate([
        b + t * (c - a) / 2 + t ** 2 * (a - 2.5 * b + 2 * c - d / 2) + t ** 3 * (1.5 * (b - c) + (d - a) / 2)
        for a, b, c, d in zip(p, p[1:], p[2:], p[3:])])

def both_sides(*half):
    """Completes an outline of which the right half is given, from top to bottom."""
    return np.concatenate([half, (np.array(half, float) * (-1, 1))[::-1]])

def place(outline, x, y, size=1.0, turn=0.0, stretch=1.0):
    """Moves an outline drawn around (0, 0) to where it belongs."""
    cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return np.asarray(outline, float) * (size * stretch, size) @ [[cos, sin], [-sin, cos]] + (x, y)

def grid(left, top, right, bottom, step_x, step_y=None):
    return np.mgrid[left:right:step_x, top:bottom:step_y or step_x].reshape(2, -1).T

PETAL = both_sides(*curve((0, -1), (0.11, -0.88), (0.17, -0.62), (0.1, -0.3), (0, 0)))

# --- The canvas. Colours are "#rrggbb"; several, separated by spaces, are a gradient. ---

def gradient(colours, t):
    stops = np.array([[int(c[i:i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours.split()])
    return np.stack([np.interp(t, np.linspace(0, 1, len(stops)), s) for s in stops.T], -1).astype(np.float32)

class Canvas:
    def __init__(self, name, width, height, zoom):
        self.name, self.w, self.h, self.zoom, self.frames = name, width, height, zoom, []
        self.rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.px = np.zeros((height * SCALE, width * SCALE, 3), np.float32)
        self.y, self.x = (axis.astype(np.float32) / SCALE for axis in np.ogrid[:height * SCALE, :width * SCALE])

    def some(self, low, high):
        return float(self.rng.uniform(low, high))

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def points(self, count, left, top, right, bottom):
        return [(self.some(left, right), self.some(top, bottom)) for _ in range(count)]

    def shape(self, points, colours, alpha=1.0, blur=0.0, across=False):
        """Fills an outline; its gradient runs from top to bottom, or from left to right."""
        points, margin, axis = np.asarray(points, float) * SCALE, int(blur * SCALE * 3), 0 if across else 1
        limit, first, last = np.array(self.px.shape[1::-1]), points.min(0), points.max(0)
        low = np.maximum(np.floor(first).astype(int), 0) - margin
        high = np.minimum(np.ceil(last).astype(int) + 1, limit) + margin
        if (high <= low).any():
            return
        mask = Image.new("L", tuple(int(v) for v in high - low))
        ImageDraw.Draw(mask).polygon([tuple(p) for p in points - low], fill=255)
        mask = mask.filter(ImageFilter.GaussianBlur(blur * SCALE)) if blur else mask
        (left, top), (right, bottom) = np.maximum(low, 0), np.minimum(high, limit)
        cover = np.asarray(mask, np.float32)[top - low[1]:bottom - low[1], left - low[0]:right - low[0], None] / 255
        along = np.arange(left, right)[None, :] if across else np.arange(top, bottom)[:, None]
        paint = gradient(colours, (along - first[axis]) / max(last[axis] - first[axis], 1))
        self.px[top:bottom, left:right] += (paint - self.px[top:bottom, left:right]) * cover * alpha

    def figure(self, x, y, size, *parts, turn=0.0, across=False):
        for outline, colours in parts:
            self.shape(place(outline, x, y, size, turn), colours, across=across)

    def stroke(self, path, start, end, colours, alpha=1.0, across=False):
        """A line with a round end, whose width goes from `start` to `end`."""
        path = np.asarray(path, float)
        along = np.gradient(path, axis=0)
        normal = np.stack([-along[:, 1], along[:, 0]], -1) / np.maximum(np.hypot(*along.T), 1e-6)[:, None]
        side, angle = normal * np.linspace(start, end, len(path))[:, None] / 2, math.atan2(*normal[-1][::-1])
        cap = oval(*path[-1], end / 2, None, math.degrees(angle), math.degrees(angle) - 180)
        self.shape([*(path + side), *cap, *(path - side)[::-1]], colours, alpha, 0, across)

    def wash(self, mask, colours):
        """Lays a colour over the whole canvas as strongly as the mask (0…1 at each point) says."""
        self.px += (gradient(colours, self.y / self.h) - self.px) * np.asarray(mask, np.float32)[..., None]

    def glow(self, x, y, radius, colour, strength=1.0):
        """Adds light that fades with the distance."""
        rows, columns = (slice(*(max(int((v + d * radius) * SCALE), 0) for d in (-3, 3))) for v in (y, x))
        light = strength * np.exp(-((self.x[:, columns] - x) ** 2 + (self.y[rows] - y) ** 2) / radius ** 2)
        self.px[rows, columns] += (1 - self.px[rows, columns]) * light[..., None] * gradient(colour, 0)

    def shine(self, light, tint):
        """Adds as much light everywhere as an array says."""
        self.px += (1 - self.px) * light[..., None] * tint

    def noise(self, cell_w, cell_h, octaves=4):
        """Smooth random values from 0 to 1 for each point, in patches of about the given size."""
        total, size = 0, self.px.shape[1::-1]
        for k in range(octaves):
            cells = self.rng.random((int(self.h / cell_h * 2 ** k) + 3, int(self.w / cell_w * 2 ** k) + 3), np.float32)
            total = total + np.asarray(Image.fromarray(cells).resize(size, Image.Resampling.BICUBIC)) / 2 ** k
        return (total - total.min()) / np.ptp(total)

    def clouds(self, top, bottom, colours, cover=0.45, cell=(320, 40), alpha=0.7):
        fade = np.sin(np.clip((self.y - top) / (bottom - top), 0, 1) * math.pi)
        self.wash(np.clip((self.noise(*cell, 5) - 1 + cover) * 3, 0, 1) * fade * alpha, colours)

    def sky(self, colours, horizon, sun=None, clouds=None):
        self.shape(box(0, 0, self.w, horizon), colours)
        if sun:
            x, y, r, colour = sun
            self.glow(x, y, r * 4.5, colour, 0.85)
            self.shape(oval(x, y, r), f"#ffffff {colour}")
        if clouds:
            self.clouds(0, horizon, clouds)

    def stars(self, count, bottom):
        for x, y in self.points(count, 0, 0, self.w, bottom):
            r, colour = 0.3 + self.some(0.2, 1) ** 2, self.pick(["#ffffff", "#cfe0ff", "#fff0d0"])
            self.shape(oval(x, y, r), colour, self.some(0.4, 1))

    def land(self, line, colours):
        """Fills everything under a line that goes from the left edge to the right one."""
        right, left = (self.w + 9, line[-1][1]), (-9, line[0][1])
        self.shape([*line, right, (self.w + 9, self.h), (-9, self.h), left], colours)

    def hills(self, base, height, bumps, colours, rough=0.4, sharp=False):
        """Land with rolling hills, or with sharp peaks. Returns its upper line."""
        x, y = np.linspace(0, self.w, 500), 0
        for k in range(6):
            wave = np.sin(x / self.w * math.tau * bumps * 2 ** k * self.some(0.8, 1.2) + self.some(0, math.tau))
            y = y + rough ** k * (2 * np.abs(wave) - 1 if sharp else wave)
        line = np.stack([x, base + y * height / 2], -1)
        self.land(line, colours)
        return line

    def mirror(self, y, tint, amount=0.4, ripple=3.0):
        """Makes everything below a height water that reflects what is above it."""
        height, width, top = *self.px.shape[:2], int(y * SCALE)
        depth, column = np.mgrid[:height - top, :width]
        wave = (self.noise(66, 6, 3)[top:] - 0.5) * ripple * SCALE * (1 + depth / SCALE / 30)
        row = np.clip(top - 1 - depth - wave * 1.5, 0, top - 1).astype(int)
        reflected = self.px[row, np.clip(column + wave, 0, width - 1).astype(int)]
        self.px[top:] = reflected + (gradient(tint, depth[:, :1] / (height - top)) - reflected) * amount

    def puffs(self, x, y, spread, radius, colours, count=5):
        """A loose heap of round spots: leaves, foam, blossoms."""
        for dx, dy in self.points(count, -spread, -spread * 0.8, spread, spread * 0.8):
            r = radius * self.some(0.5, 1)
            self.shape(oval(x + dx, y + dy, r, r * 0.8), self.pick(colours))

    def birds(self, colour, *places):
        half = [*curve((0, 0.15), (0.5, -0.35), (1, -0.3)), *curve((1, -0.3), (0.5, -0.5), (0, 0))]
        for x, y, size in places:
            self.shape(place(both_sides(*half), x, y, size, self.some(-15, 15)), colour)

    def pine(self, x, y, height, colours):
        for k in range(5):
            half = curve((0, 0), (0.4, 0.17), (1, 0.3), (0, 0.26)) * (0.09 + 0.05 * k, 1) + (0, 0.17 * k - 1)
            self.shape(place(both_sides(*half), x, y, height), colours)

    def branch(self, x, y, angle, length, width, colour, depth):
        """A tree (or a coral) that forks until `depth` is 0. Returns the ends of its twigs."""
        end, tips = (x + length * math.cos(angle), y - length * math.sin(angle)), []
        self.stroke([(x, y), end], width, width * 0.7, colour)
        for side in (-1, 1) if depth % 2 else (-1, 0.15, 1):
            turned, shorter = angle + side * self.some(0.25, 0.6), length * self.some(0.68, 0.86)
            tips += self.branch(*end, turned, shorter, width * 0.68, colour, depth - 1) if depth else [end]
        return tips

    def snapshot(self):
        large = Image.fromarray((np.clip(self.px, 0, 1) * 255 + 0.5).astype(np.uint8))
        return large.resize((round(self.w * self.zoom), round(self.h * self.zoom)), Image.Resampling.BOX)

    def save(self, folder):
        path, (first, *rest) = folder / self.name, self.frames or [self.snapshot()]
        if path.suffix in (".png", ".gif"):
            palette = first.quantize(128 if path.suffix == ".png" else 32)
            first, *rest = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in (first, *rest))
            first.save(path, optimize=True, save_all=bool(rest), append_images=rest, duration=130, loop=0)
            return f"{path.name}  {path.stat().st_size} bytes"
        for quality in range(82, 50, -2):
            first.save(path, quality=quality, optimize=True, progressive=True, method=6)
            if path.stat().st_size <= MAX_BYTES:
                break
        return f"{path.name}  {path.stat().st_size} bytes, quality {quality}"

# --- The pictures. ---

@picture("lighthouse.jpg", 640, 800, 0.9)
def lighthouse(c):
    c.sky("#22305f #6a5591 #d97b82 #ffb27a #ffe3ad", 580, (165, 535, 36, "#ffe9a8"), "#ffd0b0")
    c.hills(566, 22, 1.5, "#8a5f86")
    c.mirror(580, "#7a4f7c #1d2450", 0.45, 2.5)
    c.land(curve((270, 810), (315, 740), (410, 628), (540, 612), (650, 570)), "#6b4a68 #3a2a4a #17122b")
    for k in range(7):
        band = both_sides((30 + 20 * k / 7, 0), (33 + 20 * k / 7, 49.5)) + (490, 270 + 49 * k)
        c.shape(band, ("#fff4e2 #fff4e2 #a890b0", "#3a4068 #2a2f52 #14142e")[k % 2], across=True)
    for side in (-700, 700):
        c.shape([(490, 228), (490 + side, 90), (490 + side, 250)], "#fff1b8", 0.3, 8)
    roof = both_sides(*curve((0, -30), (22, -16), (30, 1)))
    c.figure(490, 212, 1, (box(-38, 46, 76, 12), "#23264a"), (box(-22, 0, 44, 46), "#fff3b0 #ffd873"),
             (box(-9, 0, 3, 46), "#23264a"), (box(6, 0, 3, 46), "#23264a"), (roof, "#b4474f #7c2f45"))
    c.glow(490, 234, 55, "#ffe9a0", 0.6)
    c.birds("#2a2438", (120, 250, 15), (165, 280, 11), (215, 235, 13), (300, 330, 9))

@picture("balloons.jpg", 720, 540, 8 / 9)
def balloons(c):
    c.sky("#6fa6d6 #a9cbe2 #fbe3c4 #ffc9a0", 540, None, "#fff6e8")
    c.glow(560, 360, 150, "#fff0c0", 0.9)
    for base, near, colours in ((390, 0.5, "#e9b7a2 #e2a58f"), (435, 0.8, "#d99a80 #c98468"),
                                (485, 1.2, "#b9714f #8a4d38")):
        for x, y in c.hills(base, 40, 2.2, colours)[::int(44 * near)]:  # a fairy chimney on each
            chimney = both_sides(*curve((0, -1), (0.25, -0.5), (0.35, 0.5)))
            c.shape(place(chimney, x, y, c.some(30, 60) * near), colours + " #7a4a3a", across=True)
    half = curve((0, -1), (0.62, -0.8), (0.98, -0.2), (0.8, 0.5), (0.16, 1.25))
    dyes = ("#d1495b #edae49", "#00798c #f4f1de", "#30638e #f2cc8f", "#e07a5f #f4f1de", "#81b29a #f9e2ae",
            "#6d597a #f2b5a0")
    for k, (x, y, r) in enumerate(((620, 300, 16), (300, 310, 14), (430, 270, 20), (80, 280, 22), (525, 180, 33),
                                   (235, 210, 36), (380, 100, 42), (630, 100, 55), (130, 135, 76))):
        stripes = [(both_sides(*half * (w, 1)), dyes[k % 6].split()[n % 2]) for n, w in enumerate((1, 0.78, 0.5, 0.2))]
        ropes = [(box(side, 1.2, 0.02, 0.4), "#4a3528") for side in (-0.13, 0.11)]
        c.figure(x, y, r, *ropes, *stripes, (box(-0.14, 1.5, 0.28, 0.24), "#8a5a34 #5a3820"))
        c.shape(place([*half, *half[::-1] * (0.35, 1)], x, y, r), "#2a1840", 0.16, r * 0.06)

@picture("mountains.jpg", 800, 600, 0.85)
def mountains(c):
    c.sky("#3f5f9e #8f9fd0 #f3c6b4 #ffdf9f #ffdf9f", 600, (540, 190, 44, "#ffeeb0"), "#ffe6d0")
    for k, colours in enumerate(("#c9a5bb #e3bdb6", "#a68bb4 #d4aab4", "#7d75a8 #b899b4", "#57608f #8f88ad",
                                 "#3a4a76 #65709c", "#22355a #3f5480")):
        c.hills(250 + 48 * k, 120 - 9 * k, 0.9 + 0.25 * k, colours, 0.46, sharp=True)
        c.clouds(270 + 48 * k, 370 + 48 * k, "#ffe9dc", 0.5, (260, 30), 0.55)
    for x, y in c.hills(575, 40, 1, "#101e33 #0a1422")[::9]:
        c.pine(x + c.some(-4, 4), y + 12, c.some(40, 95), "#16263f #0d1a2c")
    c.birds("#2a2438", (300, 130, 12), (335, 112, 9), (360, 142, 10))

@picture("sailboats.jpg", 800, 600, 0.85)
def sailboats(c):
    c.sky("#2f86cf #7cc0ea #d8f0f6", 330)
    c.clouds(10, 320, "#ffffff", 0.5, (240, 80), 0.9)
    c.hills(316, 46, 0.9, "#a9bfc9 #b8cad0")
    c.hills(325, 46, 0.9, "#8a9f8c #b5b08a")
    c.mirror(330, "#3fa7c9 #0c5a92", 0.72, 4)
    for x, t in c.points(330, 0, 0, 800, 1):
        c.shape(oval(x, 332 + 268 * t ** 1.6, 2 + 13 * t, 0.5 + t), c.pick(["#ffffff", "#8fdcec", "#0a4a80"]), 0.4)
    jib = [*curve((-0.02, -1.75), (-0.25, -1.1), (-0.55, -0.5), (-0.82, -0.14)), (-0.04, -0.3)]
    sail = [*curve((0.08, -1.88), (0.45, -1.2), (0.75, -0.6), (0.86, -0.2)), (0.06, -0.22)]
    hull = curve((-0.95, -0.1), (-0.6, 0.12), (0, 0.17), (0.6, 0.14), (0.88, -0.05), (0, -0.03), (-0.95, -0.1))
    for x, y, s, wood, cloth in ((640, 350, 34, "#7a3b2e", "#fff8ea #e6d4ba"),
                                 (130, 372, 50, "#20406a", "#ffb86b #f08a4b"),
                                 (400, 468, 120, "#b83b3b #7a2230", "#fffdf5 #efdcc0")):
        for k in range(14):  # the reflection
            ripple = oval(c.some(-0.13, 0.13), 0.12 + 0.06 * k, 0.8 - 0.05 * k, 0.025)
            c.shape(place(ripple, x, y, s), ("#174f74", "#f3efe4")[k % 2], 0.4)
        c.figure(x, y, s, (box(0, -1.95, 0.03, 1.95), "#5a4030"), (sail, cloth), (jib, cloth), (hull, wood))

@picture("aurora.jpg", 800, 600, 0.85)
def aurora(c):
    c.sky("#050b24 #0a1c3f #123a55 #17505c", 600)
    c.stars(200, 380)
    for base, sway, strength in ((290, 60, 0.6), (245, 90, 0.9), (180, 60, 0.45)):
        bend = np.sin(c.x / c.some(95, 150) + c.some(0, 6)) * np.sin(c.x / 260 + c.some(0, 6))
        up = base + sway * bend - c.x * 0.08 - c.y
        rays = 0.35 + 0.65 * c.noise(26, 4000, 3)[:1] * (0.4 + 0.9 * c.noise(200, 4000, 2)[:1])
        light = np.where(up > 0, np.exp(-up / (60 + 110 * rays)), np.exp(up / 7)) * rays * strength
        c.shine(light, gradient("#b8ffb0 #4dffa0 #2fe0b0 #5a7dff #a54dff", np.clip(up / 260, 0, 1)))
    c.hills(355, 80, 1.2, "#6f98b0 #2a4f6e #16304e", 0.46, sharp=True)
    c.hills(405, 34, 2.3, "#1d3a58 #12263f", 0.46, sharp=True)
    c.mirror(440, "#0a2038 #04101f", 0.3, 1.6)
    for x in range(-10, 330, 15):
        c.pine(x + c.some(-5, 5), 596 + x * 0.05, c.some(70, 170) * (1 - x / 420), "#06131f #03090f")
    c.land(curve((-10, 560), (120, 580), (330, 604), (810, 640)), "#050f1a")

@picture("moonrise.jpg", 600, 800, 0.9)
def moonrise(c):
    c.sky("#070a26 #161f4f #3c3f7d #7d639a #c98ba0", 800)
    c.stars(200, 620)
    c.glow(380, 290, 240, "#b9c2ff", 0.5)
    c.shape(oval(380, 290, 128), "#fffbea #f3e3c3")
    moon = np.clip((128 - np.hypot(c.x - 380, c.y - 290)) / 4, 0, 1)
    c.wash(np.clip(c.noise(90, 90) * 3 - 1.5, 0, 1) * moon * 0.4, "#b39c94")
    for turn, away in c.points(26, 0, 0, 360, 1):
        crater = oval(away ** 0.5 * 112, 0, c.some(2, 10))
        c.shape(place(crater, 380, 290, 1, turn), "#b8a294 #f0e0c8 #fff6de", 0.6)
    c.clouds(300, 640, "#e0b8d0", 0.5, (360, 36))
    c.hills(640, 40, 1.3, "#4a3f70 #2c2850")
    c.hills(690, 30, 0.8, "#251f45 #120f28")
    c.land(curve((-10, 742), (150, 700), (330, 716), (610, 770)), "#0d0a20 #05040f")
    for x, y in c.branch(170, 720, 1.5, 115, 24, "#0d0a20", 6):
        c.puffs(x, y, 13, 9, ["#0d0a20", "#17112f"], 3)
    c.birds("#1a1438", (455, 230, 13), (480, 252, 10), (430, 255, 9))

@picture("skyline.webp", 720, 500, 0.9)
def skyline(c):
    c.sky("#1b2150 #54407f #b3557f #f58d6a #ffc778", 360, None, "#ffb08a")
    c.glow(230, 360, 170, "#ffc070", 0.7)
    for low, high, colours, lit in ((70, 140, "#8a4f82 #c06c7c", 0), (60, 190, "#4a3570 #7a4a78", 0.3),
                                    (25, 110, "#1d1a44 #2c2452", 0.5)):
        x = -20
        while x < 720:
            w, h = c.some(28, 62), c.some(low, high) * (0.75 + 0.5 * math.exp(-((x - 390) / 180) ** 2))
            roof = x + w * c.pick([0, 0.5, 1]), 359 - h - c.pick([0, 0, 18, h * 0.3])
            c.shape([(x, 360), (x, 360 - h), roof, (x + w, 360 - h), (x + w, 360)], colours)
            for wx, wy in grid(x + 5, 368 - h, x + w - 6, 355, 9, 10):
                if c.some(0, 1) < lit:
                    c.shape(box(wx, wy, 4, 5), c.pick(["#ffe9a0", "#ffd37a", "#fff6d0", "#ffb65c"]), c.some(0.5, 1))
            x += w + c.some(-6, 10)
    for x in range(10, 720, 44):
        c.glow(x, 352, 9, "#ffdc90", 0.9)
    c.mirror(360, "#3c2a5c #0d0b24", 0.4, 3)

@picture("dunes.jpg", 720, 720, 0.9)
def dunes(c):
    c.sky("#3b7fb8 #9cc4d6 #ffe2b0 #ffcf8f", 720, (560, 170, 34, "#fff6d0"))
    c.hills(318, 40, 1.1, "#eab683 #d99a62")
    for points, light, shade in (
            (((-10, 400), (150, 330), (260, 300), (420, 362), (730, 380)), "#f4c283 #d98a4a", "#b8743f #e0a468"),
            (((-10, 390), (180, 440), (390, 400), (520, 345), (730, 420)), "#f0b26c #c9713a", "#a85c34 #d08c50"),
            (((-10, 560), (130, 500), (280, 440), (430, 520), (730, 520)), "#eba55a #b55a30", "#96482c #c06a3a"),
            (((-10, 610), (200, 650), (420, 620), (570, 560), (730, 640)), "#e0914a #8f3f28", "#7a3424 #9a4a2c")):
        line, (x, y) = curve(*points), min(points[1:-1], key=lambda p: p[1])
        c.land(line, light)
        fall = curve((x, y), (x - 14, y + 40), (x + 40, y + 110), (x - 10, y + 190), (x + 60, y + 330))
        c.shape([*(p for p in line if p[0] <= x), *fall, (-10, y + 340)], shade, 0.75)
    ripples = np.sin((c.y + c.x * 0.25 + 26 * c.noise(120, 60, 3)) / 2.2) * np.clip((c.y - 500) / 220, 0, 1)
    c.wash(np.clip(ripples, 0, 1) * 0.16, "#ffd9a0")
    body = curve((-0.5, -0.55), (-0.3, -0.8), (-0.05, -1.12), (0.2, -0.82), (0.45, -0.72), (0.62, -0.9), (0.68, -1.2),
                 (0.95, -1.22), (0.92, -1.08), (0.78, -1.05), (0.7, -0.65), (0.42, -0.48), (-0.3, -0.46), (-0.5, -0.55))
    camel = [(part, "#3a1c18") for part in (body, *(box(x, -0.6, 0.08, 0.65) for x in (-0.45, -0.28, 0.25, 0.4)))]
    for x, y in ((318, 452), (362, 469), (406, 486), (450, 507), (494, 528)):
        c.figure(x, y, 22, *camel)

@picture("rainbow.jpg", 800, 600, 0.85)
def rainbow(c):
    c.sky("#4f7fae #8fb8d6 #dcebee", 600)
    c.clouds(-60, 330, "#ffffff #e8eef4", 0.55, (280, 90), 0.9)
    away = np.hypot(c.x - 430, c.y - 520) - 361
    bow = gradient("#8a4fff #4f6bff #35b8e0 #4fd06a #ffe34d #ff9a3c #ff4d4d", np.clip(away / 62 + 0.5, 0, 1))
    c.px += (bow - c.px) * (np.clip(1 - np.abs(away) / 34, 0, 1) ** 0.6 * 0.62)[..., None]
    for k, colours in enumerate(("#8fb3a2 #8fb59a", "#7fb27c #6ea366", "#86bf5c #5c9a48", "#6fae45 #3f7f35")):
        line = c.hills(400 + 48 * k, 44, 0.8 + 0.2 * k, colours, 0.3)
        for x, y in line[::36] if k else ():
            s = (0.6 + 0.5 * k) * c.some(6, 9)
            c.puffs(x + c.some(-12, 12), y - s * 0.6, s, s, ["#3f7a44", "#4f8f48", "#356b3f", "#639c4c"], 6)
    for x, y in c.points(26, 40, 556, 500, 592):  # sheep
        c.figure(x, y, (y - 500) / 13, (oval(0, 0.5, 1.1, 0.3), "#3a7030"), (oval(0, 0, 1, 0.65), "#ffffff #dcd8cc"),
                 (oval(1, -0.2, 0.36, 0.3), "#3a3430"))
    c.figure(647, 482, 1, (box(17, -34, 9, 20), "#8a6a58"), (box(-37, 0, 74, 44), "#fbf4e6 #e6d9c0"),
             (both_sides((29, -26), (47, 2)), "#a4553f #8a4434"), (box(-7, 15, 13, 29), "#b5413a"),
             (box(-25, 12, 12, 13), "#4a6a78"), (box(13, 12, 12, 13), "#4a6a78"))

@picture("geometry.png", 640, 640)
def geometry(c):
    inks = ["#1d3557", "#e63946", "#f1a208", "#2a9d8f", "#f4ead5", "#e9c8a7", "#6d597a"]
    arc, half = oval(0, 0, 1, start=0, end=90), oval(0, 0, 0.5, start=0, end=180)
    pie = np.array([(0, 0), *arc])
    motifs = [  # each in a square from (-0.5, -0.5) to (0.5, 0.5)
        [pie - 0.5, pie * 0.66 - 0.5, pie * 0.33 - 0.5], [[*(arc - 0.5), *(0.5 - arc)], oval(0, 0, 0.14)],
        [half - (0, 0.5), half], [oval(0, 0, 0.42), oval(0, 0, 0.28), oval(0, 0, 0.13)],
        [[(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5)], [(-0.5, -0.5), (0, -0.5), (-0.5, 0)]],
        [box(-0.5, -0.5 + k / 4, 1, 0.125) for k in range(4)]]
    for x, y in grid(64, 64, 640, 640, 128):
        ground, *paints = (inks[k] for k in c.rng.permutation(len(inks))[:3])
        c.shape(box(x - 64, y - 64, 128, 128), ground)
        parts = [(outline, paints[k % 2]) for k, outline in enumerate(c.pick(motifs))]
        c.figure(x, y, 128, *parts, turn=c.pick([0, 90, 180, 270]))

@picture("dahlia.jpg", 640, 640, 0.95)
def dahlia(c):
    c.sky("#12301f #1f4a33 #0d2419", 640)
    for x, y in c.points(34, 0, 0, 640, 640):
        c.shape(oval(x, y, c.some(14, 60)), c.pick(["#3f7a4a", "#86a85a", "#2a5f4a", "#d9b86a"]), 0.2, 9)
    for ring in range(9):
        edge = gradient("#c2185b #d93672 #e85a83 #f27d92 #f8a1a0 #fcc4ac #fee0bc #fff0cc", ring / 8)
        for k in range(22 - ring):
            size, turn = 292 * 0.8 ** ring, 360 / (22 - ring) * (k + ring * 0.5)
            c.shape(place(PETAL, 320, 326, size, turn, 1.5), "#3a0830", 0.35, 5)
            for n in range(7):  # darker towards the heart
                tone = "#%02x%02x%02x" % tuple(int(v * 255) for v in edge * (1 - 0.055 * n))
                c.shape(place(PETAL * (1 - n * 0.14, 1 - n * 0.1), 320, 320, size, turn, 1.35), tone, 0.75)
    for k in range(60):
        c.shape(place(oval(2.6 * k ** 0.5, 0, 3), 320, 320, 1, k * 137.5), c.pick(["#ffe9a8", "#f7c66a", "#e89a4a"]))

@picture("wave.webp", 800, 600, 0.9)
def wave(c):
    c.sky("#f3e2c0 #f6d7a8 #f2b98a", 600)
    c.shape(oval(560, 190, 74), "#e2543f #f08a5a")
    c.clouds(40, 330, "#fff3da")
    c.hills(420, 26, 1.6, "#7fa3b5 #4d7fa0")
    c.hills(455, 36, 2.1, "#4d86a8 #2a5f8c", 0.3)
    back = curve((-20, 520), (60, 400), (150, 270), (260, 160), (370, 112), (460, 120), (520, 165), (545, 225),
                 (530, 262))
    lip = curve((530, 262), (500, 225), (455, 205), (400, 215), (350, 262), (325, 335), (335, 420), (390, 490),
                (500, 535))
    c.shape([*back, *lip, (820, 470), (820, 620), (-20, 620)], "#2f86b0 #1f5f96 #123a70")
    outer = np.array(((40, 600), (80, 440), (170, 290), (270, 190), (370, 140), (450, 142), (510, 185)))
    inner = np.array(((420, 600), (345, 500), (318, 400), (325, 315), (358, 250), (420, 205), (480, 210)))
    for k in range(1, 9):
        c.stroke(curve(*(outer + (inner - outer) * k / 9)), 16 - k, 2, "#bfe6ea #8fd0e0 #3f93bf", 0.55)
    for x, y in [*back[len(back) // 2:], *lip[:40]][::2]:
        c.puffs(x, y, 13, 13, ["#ffffff", "#f2fbfb", "#d8eff2"], 3)
    for t, away in c.points(190, 0, -60, 1, 60):
        c.shape(oval(380 + 230 * t + away, 80 + 230 * t ** 2 + c.some(-50, 70), c.some(0.8, 3.6)), "#ffffff", 0.9)
    for base, colours in ((535, "#2a78a8 #174f86"), (572, "#174a80 #0c2a58")):
        line = c.hills(base, 34, 2.2, colours, 0.35)
        c.stroke(line, 7, 7, "#e6f6f6")
        c.stroke(line + (0, 12), 3, 3, "#8fcbdc", 0.7)

@picture("autumn.webp", 540, 720, 0.9)
def autumn(c):
    leaves = ["#e8862a", "#d1541f", "#f2b532", "#b8371c", "#f7d04a", "#c96a1e"]
    c.sky("#f8d98a #f2b155 #d9772f #7a3b1e", 720, (300, 220, 40, "#fff3c0"))
    for x, y in c.points(150, 0, -20, 540, 470):
        c.shape(oval(x, y, c.some(10, 42)), c.pick(leaves), 0.35, 8)
    for near, count, soil in ((0.35, 8, "#d9803a #b8622a"), (0.6, 5, "#c06a2c #9a4a20"), (1, 4, "#a8521f #5f2a18")):
        for k in range(count):
            x, w, foot = (k + c.some(0.1, 0.9)) * 540 / count, 34 * near, 530 + 160 * near
            trunk = both_sides((w * 0.4, -foot), (w * 0.55, 0)) + (x, foot)
            c.shape(trunk, "#fff6e2 #f0dcc4 #a88470", 0.35 + 0.65 * near, across=True)
            for t in c.rng.random(int(22 * near)):
                notch = np.array([(0.5, -0.12), (0.5, 0.12), (-0.35, 0)]) * (c.pick([-1, 1]), 1)
                c.shape(place(notch, x, foot * t, w * c.some(0.6, 0.9)), "#3a2620", 0.8 * near)
        for x, y in c.points(int(40 * near), 0, 0, 540, 300):
            c.puffs(x, y, 26, 13 * near, leaves)
        c.hills(480 + 190 * near, 18, 1.2, soil)
    for x, y in [*c.points(130, 0, 672, 540, 725), *c.points(30, 0, 250, 540, 640)]:
        c.shape(place(PETAL + (0, 0.5), x, y, c.some(12, 20), c.some(0, 180), 2), c.pick(leaves))

@picture("snowfall.gif", 420, 520)
def snowfall(c):
    c.sky("#26355f", 520)
    c.hills(300, 80, 0.9, "#33466f", sharp=True)
    for x in range(0, 430, 20):
        c.pine(x, 380 + c.some(-6, 6), c.some(50, 110), "#1f2f52")
    c.hills(378, 16, 1, "#aebfdc")
    house = [(both_sides((0, -1.3), (0.55, -0.5), (0.55, 0)), "#5a3d38"),
             (both_sides((0, -1.62), (0.82, -0.28), (0.68, -0.28), (0, -1.3)), "#ffffff"),
             *((box(x, y, 0.24, 0.24), "#ffd06b") for x, y in ((-0.36, -0.36), (0.12, -0.36), (-0.12, -0.82)))]
    c.figure(100, 430, 66, *house)
    c.figure(300, 450, 94, *house)
    c.hills(462, 16, 0.8, "#dfe8f7", 0.3)
    for x, y, h in ((26, 490, 130), (188, 475, 96), (394, 500, 150)):
        c.pine(x, y, h, "#2a4560")
        c.pine(x - 2, y - h * 0.07, h * 0.8, "#ffffff")
    scene, flakes = c.px.copy(), [(x, y, c.some(1.2, 3), c.pick([65, 130])) for x, y in c.points(80, 0, 0, 420, 520)]
    for t in np.arange(8) / 8:  # each flake stays within its own band of 65, so that the last frame leads to the first
        c.px = scene.copy()
        for x, y, r, speed in flakes:
            c.shape(oval(x + 4 * math.sin(math.tau * t + x), y // 65 * 65 + (y + t * speed) % 65, r), "#ffffff")
        c.frames.append(c.snapshot())

@picture("galaxy.jpg", 720, 720, 0.9)
def galaxy(c):
    c.sky("#060614 #0b0a22 #060614", 720)
    c.wash(np.clip(c.noise(300, 300) - 0.45, 0, 1) * 0.5, "#3a1f5f #1f2f6a")
    for count, spread, reach, colour, light, blur in (
            (300000, 0.7, 95, "#5f6fd8", 0.45, 8), (200000, 0.34, 95, "#8fb0ff", 0.5, 6),
            (60000, 0.2, 85, "#d9e6ff", 0.5, 4), (9000, 0.22, 95, "#ff6fa8", 2, 6), (90000, 3, 26, "#ffcf8f", 0.4, 6)):
        r = c.rng.gamma(2, reach / 2, count) + 4
        angle = np.log(r / 14 + 0.25) * 2.1 + c.rng.integers(0, 2, count) * math.pi + c.rng.normal(0, spread, count)
        x, y = place(np.stack([r * np.cos(angle), r * np.sin(angle) * 0.62], -1), 360, 360, 1.7, -24).T
        stars = np.histogram2d(y, x, 720 // blur, ((0, 720), (0, 720)))[0].astype(np.float32) / blur ** 2
        stars = np.asarray(Image.fromarray(stars).resize(c.px.shape[:2], Image.Resampling.BICUBIC))
        c.shine(np.clip(1 - np.exp(-stars * light), 0, 1), gradient(colour, 0))
    c.glow(360, 360, 60, "#ffd9a0", 0.8)
    c.glow(360, 360, 22, "#fff6e0")
    c.stars(300, 720)
    for x, y in c.points(9, 0, 0, 720, 720):
        c.glow(x, y, 5, c.pick(["#bcd0ff", "#ffe0b8"]), 0.8)

@picture("terraces.webp", 640, 800, 0.85)
def terraces(c):
    c.sky("#7fb8d8 #dcecdc #fff0c8 #fff0c8", 800, (470, 130, 28, "#fff6d0"))
    for k, colours in enumerate(("#a9c4c4 #c8d8cc", "#7fa8a0 #a8c4b0", "#5a8f78 #86b090")):
        c.hills(210 + 42 * k, 110 - 16 * k, 0.8 + 0.3 * k, colours)
        c.clouds(210 + 44 * k, 330 + 44 * k, "#ffffff", 0.5, (240, 34))
    far = np.maximum(c.y - 320 - 30 * np.sin(c.x / 130 + 0.5), 0) / 480
    level = 20 * far ** 0.7 + 3.6 * c.noise(330, 260, 2)
    field = gradient("#e4f0a0 #a8d45c #9ccc54 #98c850 #92c24c #8cbc48 #86b644 #5a9238 #2f6430", level % 1)
    pool = gradient("#e4f0a0 #f4f4e4 #e4f0ec #d0e6ec #c4e0e8 #b8dae4 #acd4e0 #7aa890 #2f6430", level % 1)
    slope = np.where((level // 1 % 4 == 1)[..., None], pool, field * (1 - 0.1 * (level // 1 % 3)[..., None]))
    c.px += (slope - c.px) * np.clip(far * 400, 0, 1)[..., None]
    for x, y, s in ((90, 560, 150), (130, 575, 110), (590, 690, 190)):  # palms
        trunk = curve((x, y), (x + s * 0.05, y - s * 0.5), (x + s * 0.02, y - s))
        c.stroke(trunk, s * 0.06, s * 0.03, "#6a5038 #4a3828")
        for angle in np.radians(range(-200, 40, 26)):
            tip = np.array([0.5 * math.cos(angle), 0.32 * math.sin(angle) + 0.16])
            leaf = place(curve((0.02, 0), tip / 2 - (0, 0.13), tip), x, y - s, s)
            c.stroke(leaf, s * 0.07, 1, c.pick(["#2f6a3a", "#3f7f3a", "#24583a"]))

@picture("koi.png", 600, 600)
def koi(c):
    c.sky("#1f6f7a", 600)
    c.wash((c.noise(150, 150, 2) > 0.56) * 0.5, "#25808a")
    for x, y, r in ((150, 150, 20), (470, 400, 26), (250, 500, 16)):
        for k in range(4):
            c.stroke(oval(x, y, r + 20 * k), 3 - 0.6 * k, 3 - 0.6 * k, "#6fbcb8")
    half = curve((0, -0.85), (0.2, -0.62), (0.26, -0.15), (0.15, 0.5), (0.05, 0.95), (0.3, 1.5), (0.1, 1.4), (0, 1.25))
    body, fin, eye = both_sides(*half), oval(0.26, -0.39, 0.2, 0.1), oval(0.13, -0.66, 0.035)
    fish = [(body + 0.12, 3), (body, 0), (fin, 0), (fin * (-1, 1), 0),
            (oval(0.06, -0.5, 0.14, 0.2), 1), (oval(-0.05, 0.05, 0.17, 0.24), 1), (oval(0.02, 0.62, 0.09, 0.17), 1),
            (eye, 2), (eye * (-1, 1), 2)]
    for x, y, size, turn, *inks in ((200, 250, 92, 35, "#fff6ea", "#e8542f", "#1d2a38", "#185a66"),
                                    (400, 300, 110, 205, "#f28a2e", "#fff0d8", "#1d2a38", "#185a66"),
                                    (330, 480, 80, -70, "#fff6ea", "#2a3440", "#e8542f", "#185a66"),
                                    (110, 430, 70, 160, "#f7c948", "#f28a2e", "#1d2a38", "#185a66")):
        for outline, ink in fish:
            bend = 0.16 * np.sin(outline[:, 1:] * 2.4) * (1, 0)
            c.shape(place(outline + bend, x, y, size, turn), inks[ink])
    leaf = np.array([(0, 0), *oval(0, 0, 1, None, 14, 346)])
    for x, y, r, turn in ((505, 100, 84, 20), (420, 55, 50, 130), (80, 540, 74, 250), (190, 575, 46, 80),
                          (545, 535, 60, 200), (60, 60, 52, 310)):
        c.figure(x, y, r, (leaf * 1.06, "#17505c"), (leaf, "#2f8f4e"), (leaf * 0.86, "#45a85c"), turn=turn)
    for x, y, size in ((480, 90, 46), (95, 530, 40)):
        for k in range(18):
            colour, r = (("#f48fb1", 1), ("#f8bbd0", 0.75), ("#fff0c8", 0.5))[k // 6]
            c.shape(place(PETAL, x, y, size * r, 60 * k + 30 * (k // 6), 1.7), colour)

@picture("tram.png", 640, 480)
def tram(c):
    c.sky("#9fd3ea", 480)
    for k, wall in enumerate(("#f4b8a0", "#f6e3b0", "#a8cfc4", "#e89a8a", "#cfdcee")):
        x, top = 130 * k - 8, (62, 40, 62, 84, 62)[k]
        c.figure(x + 65, top, 1, (box(-65, 0, 130, 400), wall), (both_sides((53, -28), (70, 0)), "#c4593f"))
        for wx, wy in grid(x + 16, top + 22, x + 110, 330, 38, 78):
            c.figure(wx, wy, 1, (box(-3, -3, 28, 52), "#fff8ea"), (box(0, 0, 22, 48), "#4a7a94"),
                     (box(0, 0, 10, 22), "#8fc0d4"), (box(-6, 34, 34, 14), "#33424f"), (box(-4, 37, 30, 9), wall))
    c.shape(box(0, 396, 640, 90), "#b9aa9c")
    for x, y in grid(-20, 402, 640, 480, 28, 13):
        c.shape(box(x + y % 2 * 14, y, 22, 9), c.pick(["#c8baac", "#ab9c8e", "#d2c6b8"]))
    c.figure(0, 0, 1, *((box(0, y, 640, 3), "#5a5560") for y in (430, 452)), (box(0, 150, 640, 2), "#2a2a33"),
             ([(328, 226), (248, 151), (252, 151), (334, 226)], "#2a2a33"))
    for x in (225, 275, 385, 435):
        c.figure(x, 424, 1, (oval(0, 0, 20), "#2a2a33"), (oval(0, 0, 9), "#8a8a94"))
    glass = [(box(10 + 49 * k, 14, 39, h), ink) for k in range(7) for h, ink in ((60, "#3f6f88"), (24, "#9fd0de"))]
    roof = curve((-8, 2), (12, -14), (182, -22), (352, -14), (372, 2))
    c.figure(150, 238, 1, (box(2, 158, 360, 20), "#5a3a2a"), (roof, "#d8d0c0"), (box(0, 0, 364, 162), "#f5b921"),
             (box(0, 0, 364, 84), "#fff4d8"), (box(0, 84, 364, 6), "#8a3a2a"), *glass, (box(0, 138, 364, 8), "#fff4d8"),
             (oval(354, 114, 9), "#fff9c8"), (box(142, 102, 80, 26), "#fff4d8"), (box(150, 109, 64, 12), "#8a3a2a"))

@picture("santorini.jpg", 600, 750, 0.8)
def santorini(c):
    c.sky("#5f9fd8 #a8d0ea #fbe6d8 #ffd2b0", 330, (470, 262, 24, "#fff0c0"), "#fff6ee")
    c.hills(318, 34, 1.1, "#a894b0 #b8a0b0")
    c.mirror(330, "#4a90c4 #1a5a98", 0.6, 3)
    for k in range(6):
        x, house = -30, k * 2
        while x < 150 + 100 * k:
            w, top = c.some(74, 120), 310 + 72 * k + c.some(-22, 22) - x * 0.08
            dome = [(box(-2, -0.62 * w, 4, 20), "#fff4e0"), (box(-7, -0.58 * w, 14, 4), "#fff4e0"),
                    (oval(0, -10, w * 0.36, w * 0.4, 180, 360), "#7fbcf4 #2f76cc #173f84"),
                    (box(-w * 0.38, -12, w * 0.76, 14), "#ffffff #e8e8f0 #b8c4dc")]
            walls = [(box(-w / 2, 0, w, 400), "#ffffff #fbf4ec #c4cfe4"),
                     (box(-w / 2 - 2, 0, w + 4, 6), "#ffffff #dfe4f0")]
            c.figure(x + w / 2, top, 1, *(dome if house % 4 == 2 else ()), *walls, across=True)
            for wx in np.arange(x + 14, x + w - 24, 32):
                window = [*oval(wx + 9, top + 34, 9, 11, 180, 360), (wx + 18, top + 56), (wx, top + 56)]
                c.shape(window, c.pick(["#2f6cb8 #1d4a8a", "#5a6a84 #3a4a64"]))
            x, house = x + w + c.some(-4, 6), house + 1
    for x in (20, 120, 330, 470, 560):
        c.puffs(x, 750, 50, 9, ["#d6317f", "#e8559a", "#b81f6a", "#3f7a44"], 40)

@picture("mosaic.webp", 640, 640, 0.75)
def mosaic(c):
    c.sky("#2a2a7a #6a3fa0 #d9508a #ff7a4a #ffa83a", 640)
    c.shape(oval(320, 300, 125), "#fff0a0 #ffd84a")
    for base, colour in ((390, "#2f8f9a"), (450, "#1f6f8a"), (520, "#2a4f8a"), (590, "#2a2f6a")):
        c.hills(base, 60, 1.2, colour)
    near = second = np.full(c.px.shape[:2], 9e9, np.float32)
    pane, glass = np.zeros(near.shape, int), []
    for x, y in grid(20, 20, 640, 640, 40) + c.rng.uniform(-17, 17, (256, 2)):
        away = np.hypot(c.x - x, c.y - y)
        pane[away < near] = len(glass)
        second, near = np.minimum(second, np.maximum(near, away)), np.minimum(near, away)
        glass.append(c.px[tuple(np.clip([y * SCALE, x * SCALE], 0, 1919).astype(int))] * c.some(0.85, 1.18))
    c.px[:] = np.array(glass)[pane]
    c.wash(np.clip(4 - (second - near), 0, 1), "#1a1420")

@picture("lavender.webp", 800, 600, 0.85)
def lavender(c):
    c.sky("#5a8fd0 #b8d4ec #ffe6c8 #ffc890", 260, (600, 215, 30, "#ffe8b0"), "#ffffff")
    c.hills(235, 40, 0.9, "#8a90b8 #a8a4c4")
    c.hills(254, 22, 1.4, "#5f8a6a #6f9a68", 0.3)
    c.shape(box(0, 262, 800, 340), "#a87fb0 #6a4a4a #4a3430")
    for k in sorted(range(-16, 17), key=abs, reverse=True):
        top, foot = 430 + 3 * k, 430 + 105 * k
        c.shape([(top - 1, 262), (top + 1, 262), (foot + 42, 610), (foot - 42, 610)], "#b49ae0 #7a56c0 #4a2f8a")
        for t in np.linspace(0.15, 1.05, 24) ** 1.5:
            c.puffs(top + (foot - top) * t, 262 + 333 * t, 28 * t, 20 * t + 1, ["#8a63d0", "#a685e4", "#6a48b0"], 3)
    for x, s in ((190, 60), (250, 46), (700, 40)):
        c.stroke([(x, 266), (x, 266 - s)], s * 0.12, s * 0.08, "#5a4038")
        c.puffs(x, 266 - s, s * 0.42, s * 0.32, ["#3f6f4a", "#4f8556", "#2f5a40", "#6a9a5a"], 40)

@picture("lanterns.webp", 600, 750, 0.9)
def lanterns(c):
    c.sky("#140d2e #2a1748 #5a2a56 #8a4448", 560)
    for x in range(-20, 620, 62):
        roof = both_sides((0, -20), (26, -6), (44, 4), (34, 8))
        c.figure(x + 32, c.some(430, 480), 1, (box(-32, 0, 64, 140), "#2a1830 #1a1024"), (roof, "#120a1c"),
                 (box(-20, 30, 14, 22), "#ffd27a #f09a3c"), (box(6, 30, 14, 22), "#c88a4a #8a4a2a"))
    dyes = ("#ff6a4a #c41f2a", "#ffc24a #e0802a", "#ff8ab0 #c43a7a", "#8ad0ff #3a6ac4", "#b8f08a #4a9a4a",
            "#d8a0ff #7a3ac4")
    for y, sag, s in ((310, 50, 17), (210, 70, 26), (60, 100, 42)):
        path = curve((-20, y), (150, y + sag * 0.8), (300, y + sag), (450, y + sag * 0.8), (620, y))
        c.stroke(path, 1.5, 1.5, "#0d0818")
        for k, (x, top) in enumerate(path[3:-3:max(4, s // 5)]):
            light, deep = dyes[(k * 5 + s) % 6].split()
            c.glow(x, top + s * 1.2, s * 1.7, light, 0.5)
            c.shape(oval(x, top + s * 1.2, s, s * 0.85), f"{deep} {light} #fff0c8 {light} {deep}", across=True)
            c.stroke(oval(x, top + s * 1.2, s * 0.5, s * 0.85), 0.8, 0.8, deep, 0.5)
            for dy, w, h in ((0.28, 0.7, 0.14), (1.98, 0.7, 0.14), (2.1, 0.12, 0.7)):
                c.shape(box(x - s * w / 2, top + s * dy, s * w, s * h), "#e8b04a #8a5a1f")
    c.mirror(560, "#2a1440 #0d0818", 0.2, 4)
    for x, y in c.points(9, 40, 600, 560, 730):
        c.glow(x, y, 20, "#ffc060", 0.6)
        c.shape(both_sides((10, -6), (7, 3)) + (x, y), "#fff0b0 #ff9a4a")

@picture("reef.jpg", 800, 600, 0.8)
def reef(c):
    c.sky("#8fe6ee #2fb0d0 #1272a8 #0a3f78", 600)
    for x in (90, 210, 330, 480, 600, 740):
        ray = [(x, -40), (x + c.some(20, 60), -40), (x * 1.5 + c.some(-220, -40), 560), (x * 1.5 - 290, 560)]
        c.shape(ray, "#ffffff #8fe6ee #1272a8", 0.22, 8)
    c.hills(480, 70, 1.3, "#1f6a94 #14507e", 0.5)
    c.hills(555, 26, 1, "#e8d8a8 #a89a80")
    for x, dye in ((60, "#ff6f7a"), (160, "#f7a13c"), (275, "#c45ad0"), (430, "#ff8fb8"), (560, "#f2d04a"),
                   (665, "#e8505a"), (760, "#9a6ae0")):
        c.branch(x, c.some(575, 600), 1.57, c.some(28, 44), 19, dye, 4)
    for x, y in c.points(40, 0, 570, 800, 606):
        weed = curve((x, y + 10), (x + c.some(-12, 12), y - 30), (x + c.some(-24, 24), y - c.some(50, 90)))
        c.stroke(weed, 7, 2, c.pick(["#2f9a6a", "#1f7a5a", "#5ab87a"]), 0.85)
    half = curve((-1, 0), (-0.7, -0.3), (-0.1, -0.48), (0.5, -0.2), (0.75, -0.06), (1.15, -0.42), (1.02, 0))
    body, fin = [*half, *half[::-1] * (1, -1)], curve((-0.3, -0.45), (0.05, -0.75), (0.45, -0.5), (0.3, -0.25))
    shoal = [(*point, 9, "#ffe27a #f0a030") for point in c.points(22, 470, 90, 700, 220)]
    for x, y, s, dye in (*shoal, (220, 250, 52, "#ffb03c #f0602a"), (400, 380, 40, "#ffe45a #f0b020"),
                         (610, 400, 46, "#c08af0 #6a4ac4"), (120, 400, 30, "#ff8a9a #d84a6a")):
        c.figure(x, y, s, (body, dye), (fin, dye.split()[1]), (oval(-0.68, -0.07, 0.075), "#10243a"))
        for band in (-0.42, 0.1) if s > 20 else ():
            c.stroke(place(curve((band, -0.36), (band + 0.1, 0), (band, 0.36)), x, y, s), s * 0.11, s * 0.11, "#fffaf0")
    for x, y in c.points(40, 60, 60, 760, 520):
        c.stroke(oval(x, y, c.some(2, 6)), 1, 1, "#e8fbff", 0.7)

@picture("saguaro.jpg", 800, 600, 0.85)
def saguaro(c):
    c.sky("#3a2a6a #9a4a7f #ee7a5a #ffb85a #ffe29a", 600, (470, 330, 70, "#ffd070"), "#ff9a7a")
    mesa = both_sides((0.42, 0), (0.5, 0.25), (0.62, 0.3), (0.9, 1))
    c.figure(80, 300, 155, (mesa, "#a8505f #c87858"))
    c.figure(640, 320, 160, (mesa * (1.2, 1), "#b05a5f #d08058"))
    c.figure(330, 365, 100, (mesa, "#b86458 #d89058"))
    c.hills(430, 26, 1.2, "#b85a48 #7a3440")
    for x, y, s in ((300, 470, 70), (430, 455, 44), (560, 480, 90), (720, 520, 150), (130, 560, 250)):
        for width, *arm in ((0.15, (0, 0.03), (0, -1)),
                            (0.1, (0, -0.4), (-0.24, -0.42), (-0.27, -0.55), (-0.27, -0.78)),
                            (0.1, (0, -0.3), (0.22, -0.31), (0.26, -0.4), (0.26, -0.68))):
            line = place(curve(*arm), x, y, s)
            c.stroke(line, width * s, width * s, "#7a9a5a #4a7a50 #24483c #16302c", across=True)
            for rib in (-0.25, 0, 0.25):
                c.stroke(line[-12:] + (rib * width * s, 0), 0.01 * s, 0.01 * s, "#c8d890", 0.45)
    c.hills(560, 20, 1, "#7a3440 #3a1a30")
    for x, y in ((60, 590), (260, 596), (420, 586), (620, 598), (770, 590)):
        for turn in range(-75, 90, 15):
            c.shape(place(PETAL, x, y, c.some(36, 60), turn), "#a8c490 #3f6a58")
    c.birds("#2a1838", (250, 150, 14), (290, 130, 10), (330, 160, 11))

if __name__ == "__main__":
    for file in sys.argv[1:] or PICTURES:
        print(PICTURES[file]().save(Path(__file__).parent))
