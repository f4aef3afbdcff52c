// Keeps the program in the browser, so that it starts without a network after the first visit. The build replaces the
// version by one that changes with the files: then all of them are fetched again.
'use strict';

const CACHE = 'attnscope-@ATTNSCOPE_WEB_VERSION@';
const FILES = ['./', 'index.html', 'page-start.js', 'page-storage.js', 'page-files.js', 'page-touch.js', 'attnscope-page.js',
  'attnscope.js', 'attnscope.wasm', 'attnscope.data', 'attnscope.svg', 'manifest.webmanifest', 'models.json'];

self.addEventListener('install', (event) => {
  // A build without one of the files works too.
  const keep = async () => {
    const cache = await caches.open(CACHE);
    await Promise.allSettled(FILES.map((file) => cache.add(new Request(file, { cache: 'no-cache' }))));
    await self.skipWaiting();
  };
  event.waitUntil(keep());
});

self.addEventListener('activate', (event) => {
  const take = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith('attnscope-') && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(take());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  // Nothing else is asked for; if it were, it would not be answered here.
  if (request.method !== 'GET' || new URL(request.url).origin !== self.location.origin) return;
  const answer = async () => {
    const cache = await caches.open(CACHE);
    const kept = await cache.match(request, { ignoreSearch: true });
    if (kept) return kept;
    const fetched = await fetch(request);
    // Models, which are loaded when they are opened.
    if (fetched.ok) await cache.put(request, fetched.clone());
    return fetched;
  };
  event.respondWith(answer());
});
