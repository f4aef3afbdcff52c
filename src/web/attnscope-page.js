// The page that attnscope runs in: starts the program, and is its desktop: keys, clipboard, links, full screen.
// src/io/desktop/page_web.h is the program's half.
'use strict';

(() => {
  const {
    addModels, becomeKeeper, bytesOf, canvas, chooseFiles, download, drop, element, folders, isLink, keep, keepChanges,
    listenToTouch, loadModels, missing, mountStorage, noteFiles, open, Progress, refuse, say, showState, startScript,
  } = attnscopePage;

  const DOWNLOAD_LOOK_MS = 300;
  const MODELS_AFTER_MS = 2000;

  // ---- arguments --------------------------------------------------------------------------------------------------

  /** The theme of the system, unless the user has chosen the light one here. */
  function systemTheme() {
    let chosen = '';
    try {
      chosen = JSON.parse(Module.FS.readFile(`${folders.home}/attnscope/state.json`, { encoding: 'utf8' })).theme;
    } catch { /* the first visit */ }
    return chosen === 'light' || !matchMedia('(prefers-color-scheme: dark)').matches ? 'light' : 'dark';
  }

  function addArguments() {
    Module.arguments.push('--theme', systemTheme());
    if (isLink(location.hash)) Module.arguments.push(location.href);
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

  /** Keys that the program uses, and with which the browser would do something else. Copying and pasting stays with it. */
  function isOurs(event) {
    if (['Tab', 'Backspace', 'F6', 'F10'].includes(event.key)) return true;
    if (event.altKey) return 'fevlh'.includes(event.key.toLowerCase());
    return (event.ctrlKey || event.metaKey) && /^[abdefgklnopstuyz0+=\-[\]]$|^(Page(Up|Down)|Arrow\w+)$/i.test(event.key);
  }

  function leave() {
    if (!attnscopePage.running) return;
    Module.ccall('attnscope_leave', null, [], []);
    keep();
  }

  function listen() {
    addEventListener('hashchange', () => { if (isLink(location.hash)) open(location.href); });
    document.addEventListener('visibilitychange', () => { if (document.hidden) leave(); });
    addEventListener('pagehide', leave);
    addEventListener('keydown', (event) => { if (isOurs(event)) event.preventDefault(); }, true);
    addEventListener('paste', (event) => { pasted = event.clipboardData.getData('text/plain'); }, true);
    listenToTouch();
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

  let lastError = 'attnscope has ended without a word';
  let begun = false;

  /** The window is there. */
  function begin() {
    begun = true;
    element('start').hidden = true;
    canvas.focus();
    noteFiles();
    listen();
    addFonts();
    setTimeout(loadModels, MODELS_AFTER_MS);
  }

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
      printErr: (text) => {
        lastError = text;
        console.warn(text);
      },
      page: {
        address: () => location.href.replace(/#.*/s, ''), copyText, copyPicture, pastedText: () => pasted, chooseFiles,
        downloadFolder: folders.downloads, setFullScreen, begin, end: refuse,
      },
      preRun: [() => {
        Object.assign(Module.ENV, { HOME: folders.home, XDG_CONFIG_HOME: folders.home, ATTNSCOPE_DATA: '/data' });
        addModels(JSON.parse(new TextDecoder().decode(models)));
        mountStorage(isKeeper, addArguments);
      }],
      onRuntimeInitialized: () => { attnscopePage.running = true; },
      postRun: [() => {
        if (begun) return;
        const way = isLink(location.hash) ? ' Without what stands after # in its address, the page starts anew.' : '';
        refuse(`${lastError}.${way}`);
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
