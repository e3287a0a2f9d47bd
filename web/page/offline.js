// Keeps the page's own files, so that it works without a network.
const FILES = [
  "./", "style.css", "icon.svg", "main.js", "dom.js", "engine-client.js", "findings.js", "input.js", "limits.js",
  "reply.js", "samples.js", "settings.js", "worker.js", "engine.js", "engine_bg.wasm",
];
const CACHE = "playground";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// What the network has is newer.
self.addEventListener("fetch", (event) => {
  const kept = () => caches.match(event.request, { ignoreSearch: true });
  event.respondWith(fetch(event.request).catch(kept));
});
