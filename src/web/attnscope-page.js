// The page that attnscope runs in: loads the program and shows how far it is, keeps its files in the browser's storage,
// and is its desktop: files, clipboard, links, full screen. src/io/desktop/page_web.h is the program's half.
//
// A page that holds the files itself has elements `file:NAME` with their bytes in base64 (scripts/web_page).
'use strict';

(() => {
  const HOME = '/home/attnscope';
  const OPENED = '/opened';
  const DOWNLOADS = '/downloads';
  // The files of a tab are in its memory.
  const MAX_OPENED_BYTES = 1e9;
  const DOWNLOAD_LOOK_MS = 300;
  const SAID_MS = 8000;
  const MODELS_AFTER_MS = 2000;
  const LONG_PRESS_MS = 500;
  // Less is a finger that trembles, in CSS pixels.
  const TOUCH_MOVES_PX = 8;

  const element = (id) => document.getElementById(id);
  const canvas = element('canvas');
  let running = false;

  // ---- the start screen -------------------------------------------------------------------------------------------

  const showState = (text) => { element('state').textContent = text; };

  function refuse(text) {
    showState(text);
    element('progress').hidden = true;
    element('start').hidden = false;
  }

  let saidTimer = 0;
  function say(text) {
    element('said').textContent = text;
    element('said').hidden = false;
    clearTimeout(saidTimer);
    saidTimer = setTimeout(() => { element('said').hidden = true; }, SAID_MS);
  }

  /** Why the program cannot run here; empty: it can. */
  function missing() {
    // A function with one instruction of 128-bit SIMD.
    const simd = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
      253, 98, 11]);
    if (typeof WebAssembly !== 'object' || !WebAssembly.validate(simd))
      return 'attnscope needs WebAssembly with SIMD, which this browser does not have. Chrome, Edge and Firefox since 2021 and ' +
        'Safari since 2023 have it.';
    if (!document.createElement('canvas').getContext('webgl2'))
      return 'attnscope needs WebGL 2, which this browser does not offer. Every current browser has it, but it can be switched ' +
        'off in the settings, or by the driver of the graphics card.';
    return '';
  }

  // ---- loading ----------------------------------------------------------------------------------------------------

  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

  /** Shows how much of the files has come, and of how much. */
  class Progress {
    #come = new Map();
    #all = new Map();

    expect(name, bytes) { this.#all.set(name, bytes); }

    note(name, bytes) {
      this.#come.set(name, bytes);
      const sum = (map) => [...map.values()].reduce((a, b) => a + b, 0);
      const come = sum(this.#come);
      const all = sum(this.#all);
      // Where files come compressed, their length is not known.
      const known = [...this.#all.values()].every((each) => each > 0) && come <= all;
      showState(known ? `Loading: ${megabytes(come)} of ${megabytes(all)}` : `Loading: ${megabytes(come)}`);
      if (known) element('progress').value = come / all;
      else element('progress').removeAttribute('value');
    }
  }

  const heldElement = (name) => element(`file:${name}`);
  const heldBytes = (name) => Uint8Array.from(atob(heldElement(name).textContent), (character) => character.charCodeAt(0));

  /** The bytes of one of the program's files; null where it is not there. */
  async function bytesOf(name, progress) {
    const held = heldElement(name);
    if (held) {
      const bytes = heldBytes(name);
      if (held.type !== 'application/gzip') return bytes;
      const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
      return new Uint8Array(await new Response(unpacked).arrayBuffer());
    }
    const response = await fetch(name);
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
    progress.expect(name, response.headers.has('content-encoding') ? 0 : Number(response.headers.get('content-length')));
    const pieces = [];
    let size = 0;
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      pieces.push(part.value);
      size += part.value.length;
      progress.note(name, size);
    }
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
  }

  // ---- models -----------------------------------------------------------------------------------------------------

  // The weights of the models that come along are loaded when they are read, or once the program has nothing else to do.
  const MODELS = '/data/assets/models';

  /** The bytes of a file at once: while they are awaited, nothing else happens. */
  function bytesNow(name) {
    if (heldElement(name)) return heldBytes(name);
    const request = new XMLHttpRequest();
    request.open('GET', name, false);
    request.overrideMimeType('text/plain; charset=x-user-defined');
    request.send();
    if (request.status !== 200) throw new Error(`${name}: ${request.status} ${request.statusText}`);
    return Uint8Array.from(request.responseText, (character) => character.charCodeAt(0) & 255);
  }

  /** A file of `size` bytes that is read when the program reads it. Returns a function that gives it its bytes. */
  function addLazyFile(path, size, name) {
    const { FS } = Module;
    FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    FS.writeFile(path, new Uint8Array(0));
    const { node } = FS.lookupPath(path);
    const plain = node.stream_ops;
    let come = false;
    node.usedBytes = size;
    const hold = (bytes) => {
      if (come || bytes.length !== size) return;
      node.contents = bytes;
      node.stream_ops = plain;
      come = true;
    };
    const ensure = () => {
      if (come) return;
      try {
        hold(bytesNow(name));
      } catch (error) {
        say(`Not loaded: ${error.message}`);
      }
      if (!come) throw new FS.ErrnoError(29);  // EIO
    };
    node.stream_ops = {
      ...plain,
      read: (...rest) => { ensure(); return plain.read(...rest); },
      mmap: (...rest) => { ensure(); return plain.mmap(...rest); },
    };
    return { name, hold, isCome: () => come };
  }

  let lazyFiles = [];
  async function loadModels() {
    // Where every byte is paid for, only what is opened.
    if (navigator.connection?.saveData) return;
    for (const each of lazyFiles) {
      if (each.isCome() || heldElement(each.name)) continue;
      try {
        const response = await fetch(each.name);
        if (response.ok) each.hold(new Uint8Array(await response.arrayBuffer()));
      } catch { /* without a network, what is opened says so */ }
    }
  }

  async function startScript() {
    const script = document.createElement('script');
    script.src = heldElement('attnscope.js')
      ? URL.createObjectURL(new Blob([await bytesOf('attnscope.js')], { type: 'text/javascript' })) : 'attnscope.js';
    script.onerror = () => refuse('attnscope.js could not be loaded.');
    document.body.append(script);
  }

  // ---- what the browser keeps -------------------------------------------------------------------------------------

  /** Whether this tab is the first one: only one may write what the browser keeps. */
  function becomeKeeper() {
    if (!navigator.locks) return Promise.resolve(true);
    return new Promise((resolve) => {
      navigator.locks.request('attnscope', { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        // Held as long as the page lives.
        return lock === null ? undefined : new Promise(() => {});
      }).catch(() => resolve(true));
    });
  }

  let keeps = false;
  let keeping = false;
  let keepAgain = false;
  function keep() {
    if (!keeps) return;
    if (keeping) { keepAgain = true; return; }
    keeping = true;
    Module.FS.syncfs(false, (error) => {
      keeping = false;
      if (error) say('Unsaved edits cannot be kept: the browser’s storage is full or switched off.');
      if (keepAgain) { keepAgain = false; keep(); }
    });
  }

  /** Mounts the user's folder; the program starts once it is read. */
  function mountStorage(isKeeper) {
    const { FS } = Module;
    for (const folder of [HOME, OPENED, DOWNLOADS]) FS.mkdirTree(folder);
    FS.chdir(DOWNLOADS);
    if (!isKeeper) {
      say('attnscope is open in another tab, which keeps unsaved edits; this one keeps none.');
      addArguments();
      return;
    }
    Module.addRunDependency('storage');
    try {
      FS.mount(Module.IDBFS ?? FS.filesystems.IDBFS, {}, HOME);
    } catch {
      addArguments();
      Module.removeRunDependency('storage');
      return;
    }
    FS.syncfs(true, (error) => {
      keeps = !error;
      if (error) say('Unsaved edits cannot be kept: the browser gives this page no storage.');
      addArguments();
      Module.removeRunDependency('storage');
    });
  }

  /** What the folder held when it was kept last; it is small. */
  let keptStamp = '';
  function folderStamp(folder) {
    const { FS } = Module;
    const paths = FS.readdir(folder).filter((name) => name !== '.' && name !== '..').map((name) => `${folder}/${name}`);
    return paths.map((path) => (FS.isDir(FS.stat(path).mode) ? folderStamp(path) : stampOf(path))).join(';');
  }

  function keepChanges() {
    if (!keeps) return;
    const stamp = folderStamp(HOME);
    if (stamp === keptStamp) return;
    keptStamp = stamp;
    keep();
  }

  // ---- arguments and links ----------------------------------------------------------------------------------------

  const isLink = (text) => text.includes('#x=');

  /** The theme of the system, unless the user has chosen the light one here. */
  function systemTheme() {
    let chosen = '';
    try {
      chosen = JSON.parse(Module.FS.readFile(`${HOME}/attnscope/state.json`, { encoding: 'utf8' })).theme;
    } catch { /* the first visit */ }
    return chosen === 'light' || !matchMedia('(prefers-color-scheme: dark)').matches ? 'light' : 'dark';
  }

  function addArguments() {
    Module.arguments.push('--theme', systemTheme());
    if (isLink(location.hash)) Module.arguments.push(location.href);
  }

  function open(name) {
    if (running) Module.ccall('attnscope_open', null, ['string'], [name]);
  }

  // ---- files ------------------------------------------------------------------------------------------------------

  let openedFolders = 0;

  /** files: [{path, file}], with paths relative to what was dropped. Opens the first of each of `roots`. */
  async function openFiles(files, roots) {
    const bytes = files.reduce((sum, each) => sum + each.file.size, 0);
    if (bytes > MAX_OPENED_BYTES) {
      say(`Not opened: ${megabytes(bytes)} are not allowed in a browser; allowed: at most ${megabytes(MAX_OPENED_BYTES)}. ` +
        'attnscope as an installed program reads larger files.');
      return;
    }
    openedFolders += 1;
    const folder = `${OPENED}/${openedFolders}`;
    try {
      for (const { path, file } of files) {
        const target = `${folder}/${path}`;
        Module.FS.mkdirTree(target.slice(0, target.lastIndexOf('/')));
        const bytes = new Uint8Array(await file.arrayBuffer());
        Module.FS.writeFile(target, bytes);
        known.set(target, stampOf(target));
      }
    } catch (error) {
      say(`Not opened: ${error.message ?? 'the browser has no memory for it'}`);
      return;
    }
    for (const root of roots) open(`${folder}/${root}`);
  }

  /** All files in a dropped folder. */
  async function filesBelow(entry, before = '') {
    const path = before + entry.name;
    if (entry.isFile) return [{ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) }];
    const reader = entry.createReader();
    const files = [];
    const next = () => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    for (let entries = await next(); entries.length > 0; entries = await next()) {
      for (const each of entries) files.push(...await filesBelow(each, `${path}/`));
    }
    return files;
  }

  async function drop(event) {
    event.preventDefault();
    // Instead of what the toolkit would do with them.
    event.stopImmediatePropagation();
    document.body.classList.remove('over');
    const { items } = event.dataTransfer;
    const entries = [...items].map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry);
    const plain = [...event.dataTransfer.files].map((file) => ({ path: file.name, file }));
    const text = event.dataTransfer.getData('text/uri-list') || event.dataTransfer.getData('text/plain');
    if (entries.length === 0) {
      if (plain.length > 0) openFiles(plain, plain.map((each) => each.path));
      else if (isLink(text)) open(text.trim());
      else if (text) say('Not opened: the text is no link to an experiment.');
      return;
    }
    try {
      const files = (await Promise.all(entries.map((entry) => filesBelow(entry)))).flat();
      await openFiles(files, entries.map((entry) => entry.name));
    } catch (error) {
      say(`Not opened: ${error.message}`);
    }
  }

  function chooseFiles(endings, several, folder) {
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = several;
    input.webkitdirectory = folder;
    if (!folder) input.accept = endings;
    input.onchange = () => {
      const files = [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
      const roots = folder ? files.slice(0, 1).map((each) => each.path.split('/')[0]) : files.map((each) => each.path);
      openFiles(files, roots);
    };
    input.click();
  }

  /** Shows the browser's dialog to print, or to save as PDF, a page of the picture's size. */
  function print(svg) {
    const frame = document.createElement('iframe');
    frame.style.cssText = 'position: fixed; width: 0; height: 0; border: 0';
    const [, width, height] = /<svg[^>]* width="([^"]+)" height="([^"]+)"/.exec(svg) ?? ['', '8in', '6in'];
    frame.srcdoc = `<!DOCTYPE html><style>@page { size: ${width} ${height}; margin: 0 } body { margin: 0 } svg { display: block }` +
      `</style>${svg.slice(svg.indexOf('<svg'))}`;
    frame.onload = () => {
      const page = frame.contentWindow;
      page.addEventListener('afterprint', () => { setTimeout(() => frame.remove(), 0); canvas.focus(); });
      page.focus();
      page.print();
    };
    document.body.append(frame);
  }

  /** Paths and states of the files in a folder that are the user's. */
  function* userFiles(folder) {
    const { FS } = Module;
    for (const name of FS.readdir(folder)) {
      const path = `${folder}/${name}`;
      // Files that are being written begin with a point. The program's own folder is kept, not downloaded.
      if (name.startsWith('.') || path === `${HOME}/attnscope`) continue;
      const status = FS.stat(path);
      if (FS.isDir(status.mode)) yield* userFiles(path);
      else yield path;
    }
  }

  function stampOf(path) {
    const { size, mtime, ino } = Module.FS.stat(path);
    return `${path}:${size}:${Number(mtime)}:${ino}`;
  }

  const known = new Map();
  function noteFiles(act) {
    for (const folder of [DOWNLOADS, OPENED, HOME]) {
      for (const path of userFiles(folder)) {
        const stamp = stampOf(path);
        if (known.get(path) === stamp) continue;
        known.set(path, stamp);
        act?.(path);
      }
    }
  }

  function download(path) {
    if (path.endsWith('.pdf')) {
      print(Module.FS.readFile(path, { encoding: 'utf8' }));
      return;
    }
    const anchor = document.createElement('a');
    anchor.href = URL.createObjectURL(new Blob([Module.FS.readFile(path)]));
    anchor.download = path.slice(path.lastIndexOf('/') + 1);
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(anchor.href), 60000);
  }

  // ---- the clipboard ----------------------------------------------------------------------------------------------

  let pasted = '';

  function copyText(text) {
    pasted = text;
    // The old way works where the new one is not allowed: on pages that are not secure.
    const oldWay = () => {
      const field = document.createElement('textarea');
      field.value = text;
      document.body.append(field);
      field.select();
      const done = document.execCommand('copy');
      field.remove();
      canvas.focus();
      if (!done) say('The browser did not allow to copy.');
    };
    if (navigator.clipboard?.writeText) navigator.clipboard.writeText(text).catch(oldWay);
    else oldWay();
  }

  function copyPicture(path) {
    if (!navigator.clipboard?.write || typeof ClipboardItem !== 'function') return false;
    const picture = new Blob([Module.FS.readFile(path)], { type: 'image/png' });
    navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })])
      .catch(() => say('The browser did not allow to copy the picture.'));
    return true;
  }

  // ---- the window -------------------------------------------------------------------------------------------------

  function setFullScreen(full) {
    if (full === (document.fullscreenElement !== null)) return;
    const done = full ? document.documentElement.requestFullscreen?.() : document.exitFullscreen();
    done?.catch(() => say('The browser did not allow to fill the screen.'));
  }

  /** The program's fonts, for what the browser's canvas draws. */
  function addFonts() {
    for (const [family, weight, file] of [['Inter', '400', 'Inter-Regular.otf'], ['Inter', '600', 'Inter-SemiBold.otf'],
      ['DejaVu Sans', '400', 'DejaVuSans.ttf']]) {
      const font = new FontFace(family, Module.FS.readFile(`/data/fonts/${file}`), { weight });
      document.fonts.add(font);
      font.load().catch((error) => console.warn(error));
    }
  }

  // ---- touch ------------------------------------------------------------------------------------------------------

  // One finger is the mouse: a tap points and clicks, held still it clicks as a mouse does, drawn it drags. Two zoom.
  const touch = { kind: 'none', x: 0, y: 0, timer: 0, spread: 0 };

  function actAsMouse(type, x, y, button = 0) {
    canvas.dispatchEvent(new MouseEvent(type, { clientX: x, clientY: y, button, bubbles: true, view: window }));
  }
  const setTouched = (touched) => Module.ccall('attnscope_touch', null, ['number'], [touched ? 1 : 0]);
  const spreadOf = ([a, b]) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);

  function endOneFinger() {
    clearTimeout(touch.timer);
    if (touch.kind === 'drag') actAsMouse('mouseup', touch.x, touch.y);
  }

  function beginTouch(event) {
    if (event.touches.length > 1) {
      endOneFinger();
      touch.kind = 'pinch';
      touch.spread = spreadOf(event.touches);
      return;
    }
    const { clientX: x, clientY: y } = event.touches[0];
    Object.assign(touch, { kind: 'tap', x, y });
    setTouched(true);
    actAsMouse('mousemove', x, y);
    touch.timer = setTimeout(() => {
      touch.kind = 'held';
      navigator.vibrate?.(10);
      setTouched(false);
      actAsMouse('mousedown', x, y);
      setTimeout(() => actAsMouse('mouseup', x, y), 50);
    }, LONG_PRESS_MS);
  }

  function moveTouch(event) {
    if (touch.kind === 'pinch' && event.touches.length > 1) {
      const [a, b] = event.touches;
      const spread = spreadOf(event.touches);
      // As far as turning a wheel zooms in: the figure follows the fingers.
      const deltaY = -100 * Math.log(spread / touch.spread) / Math.log(1.2);
      touch.spread = spread;
      const at = { clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2, bubbles: true, view: window };
      canvas.dispatchEvent(new MouseEvent('mousemove', at));
      canvas.dispatchEvent(new WheelEvent('wheel', { ...at, deltaY }));
      return;
    }
    const { clientX: x, clientY: y } = event.touches[0];
    if (touch.kind === 'tap' && Math.hypot(x - touch.x, y - touch.y) > TOUCH_MOVES_PX) {
      clearTimeout(touch.timer);
      touch.kind = 'drag';
      actAsMouse('mousedown', touch.x, touch.y);
    }
    if (touch.kind !== 'drag') return;
    Object.assign(touch, { x, y });
    actAsMouse('mousemove', x, y);
  }

  function endTouch(event) {
    if (event.touches.length > 0) return;
    endOneFinger();
    const { kind, x, y } = touch;
    touch.kind = 'none';
    if (kind !== 'tap' || event.type === 'touchcancel') return;
    actAsMouse('mousedown', x, y);
    // A frame must see it pressed.
    setTimeout(() => actAsMouse('mouseup', x, y), 50);
  }

  function onTouch(act) {
    return (event) => {
      // The toolkit would make a mouse of the first finger only.
      if (event.cancelable) event.preventDefault();
      event.stopImmediatePropagation();
      act(event);
    };
  }

  /** Keys that the program uses, and with which the browser would do something else. Copying and pasting stays with it. */
  function isOurs(event) {
    if (['Tab', 'Backspace', 'F6', 'F10'].includes(event.key)) return true;
    if (event.altKey) return 'fevlh'.includes(event.key.toLowerCase());
    return (event.ctrlKey || event.metaKey) && /^[abdefgklnopstuyz0+=\-[\]]$|^(Page(Up|Down)|Arrow\w+)$/i.test(event.key);
  }

  function leave() {
    if (!running) return;
    Module.ccall('attnscope_leave', null, [], []);
    keep();
  }

  function listen() {
    addEventListener('hashchange', () => { if (isLink(location.hash)) open(location.href); });
    document.addEventListener('visibilitychange', () => { if (document.hidden) leave(); });
    addEventListener('pagehide', leave);
    addEventListener('keydown', (event) => { if (isOurs(event)) event.preventDefault(); }, true);
    addEventListener('paste', (event) => { pasted = event.clipboardData.getData('text/plain'); }, true);
    for (const [name, act] of [['touchstart', beginTouch], ['touchmove', moveTouch], ['touchend', endTouch],
      ['touchcancel', endTouch]])
      addEventListener(name, onTouch(act), { capture: true, passive: false });
    // A mouse that is used beside a finger.
    addEventListener('mousemove', (event) => { if (event.isTrusted) setTouched(false); }, true);
    addEventListener('contextmenu', (event) => event.preventDefault());
    addEventListener('dragover', (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      document.body.classList.add('over');
    }, true);
    addEventListener('dragleave', () => document.body.classList.remove('over'), true);
    addEventListener('drop', drop, true);
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      leave();
      refuse('The browser has taken the graphics card away. Load the page again: unsaved edits come back.');
    });
    setInterval(() => { noteFiles(download); keepChanges(); }, DOWNLOAD_LOOK_MS);
  }

  // ---- the program ------------------------------------------------------------------------------------------------

  async function start() {
    const reason = missing();
    if (reason) { refuse(reason); return; }
    const progress = new Progress();
    const [program, data, models, isKeeper] = await Promise.all([bytesOf('attnscope.wasm', progress),
      bytesOf('attnscope.data', progress), bytesOf('models.json', progress), becomeKeeper()]);
    if (!program || !models) { refuse('attnscope.wasm or models.json is missing.'); return; }
    showState('Starting…');
    element('progress').removeAttribute('value');
    const ended = (what) => refuse(`attnscope has ended: ${what}. Load the page again: unsaved edits come back.`);
    globalThis.Module = {
      canvas,
      arguments: [],
      wasmBinary: program,
      getPreloadedPackage: () => data?.buffer ?? null,
      print: (text) => console.log(text),
      printErr: (text) => console.warn(text),
      page: {
        address: () => location.href.replace(/#.*/s, ''), copyText, copyPicture, pastedText: () => pasted, chooseFiles,
        downloadFolder: DOWNLOADS, setFullScreen, end: refuse,
      },
      preRun: [() => {
        Object.assign(Module.ENV, { HOME, XDG_CONFIG_HOME: HOME, ATTNSCOPE_DATA: '/data' });
        lazyFiles = Object.entries(JSON.parse(new TextDecoder().decode(models)))
          .map(([name, size]) => addLazyFile(`${MODELS}/${name}`, size, `models/${name}`));
        mountStorage(isKeeper);
      }],
      onRuntimeInitialized: () => { running = true; },
      postRun: [() => {
        element('start').hidden = true;
        canvas.focus();
        noteFiles();
        listen();
        addFonts();
        setTimeout(loadModels, MODELS_AFTER_MS);
      }],
      onAbort: (what) => ended(String(what)),
      onExit: (code) => { if (code !== 0) ended(`code ${code}`); },
    };
    await startScript();
    if ('serviceWorker' in navigator && location.protocol !== 'file:')
      navigator.serviceWorker.register('service_worker.js').catch((error) => console.warn(error));
  }

  start().catch((error) => refuse(`attnscope could not be loaded: ${error.message}`));
})();
