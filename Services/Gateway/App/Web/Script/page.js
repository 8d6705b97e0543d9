import { watchAges } from "./ages.js";
import { watchBack } from "./back.js";
import { kind } from "./document.js";
import { startFeed } from "./feed-page.js";
import { startImage } from "./image-page.js";
import { watchKeysHelp } from "./keys-help.js";
import { watchSettings } from "./layout.js";
import { watchNeighbours } from "./neighbours.js";
import { startOffline } from "./offline-page.js";
import { pictures } from "./pictures.js";
import { registerWorker } from "./service-worker.js";
import { storedCopy } from "./stored-copy.js";
import { startViewer } from "./viewer.js";

// The script of the page. Every page is complete without it; it adds endless scrolling, live news, keys, gestures and a stored copy.
// It renders nothing itself: rows, links, messages and texts come from the pages of the server.

watchSettings();
watchBack();
watchNeighbours();
watchKeysHelp();
storedCopy.show(document);
watchAges();
pictures.yieldToNavigation();
addEventListener("offline", () => storedCopy.update());
addEventListener("online", () => {
  storedCopy.update();
  pictures.retryFailed();
});
({ feed: startFeed, image: startImage, picture: startViewer, offline: startOffline })[kind]?.();
registerWorker();
