// Files of the page: those that are loaded when the program reads them, those that users bring in, and those that the
// program has written for them.
'use strict';

(() => {
  const { canvas, folders, heldBytes, heldElement, megabytes, say, stampOf } = attnscopePage;

  // Files are in the memory of the tab, but larger ones are read in slices.
  const MAX_OPENED_BYTES = 1e9;
  const SLICED_FROM_BYTES = 64e6;
  const BLOCK_BYTES = 1 << 17;
  const BLOCKS_AHEAD = 8;  // where one after the other is read
  const MAX_BLOCKS = 256;

  // ---- files that are read when the program reads them -----------------------------------------------------------

  // The weights of the models that come along are loaded when they are read, or once the program has nothing else to do.
  const MODELS = '/data/assets/models';

  /** The bytes of an address at once: while they are awaited, nothing else happens. */
  function bytesNow(name) {
    const request = new XMLHttpRequest();
    request.open('GET', name, false);
    request.overrideMimeType('text/plain; charset=x-user-defined');
    request.send();
    if (request.status !== 200) throw new Error(`${name}: ${request.status} ${request.statusText}`);
    const text = request.responseText;
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  /** Files that the program reads through `act`, which is given what each function of a file does. */
  function addReadFile(path, size, act) {
    const { FS } = Module;
    FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    FS.writeFile(path, new Uint8Array(0));
    const { node } = FS.lookupPath(path);
    node.usedBytes = size;
    node.stream_ops = { ...node.stream_ops, ...act(node, node.stream_ops) };
  }

  const EIO = 29;
  /** `read`, or the error of a device where it fails. */
  function readOrFail(read) {
    try {
      return read();
    } catch (error) {
      say(`Not read: ${error.message}`);
      throw new Module.FS.ErrnoError(EIO);
    }
  }

  /** One of the page's files, which is loaded when the program reads it. */
  function addLazyFile(path, size, name) {
    let come = false;
    let hold;
    addReadFile(path, size, (node, plain) => {
      hold = (bytes) => {
        if (come || bytes.length !== size) return;
        node.contents = bytes;
        node.stream_ops = plain;
        come = true;
      };
      const ensure = () => readOrFail(() => {
        if (!come) hold(heldElement(name) ? heldBytes(name) : bytesNow(name));
        if (!come) throw new Error(`${name} has another size than models.json says`);
      });
      return {
        read: (...rest) => { ensure(); return plain.read(...rest); },
        mmap: (...rest) => { ensure(); return plain.mmap(...rest); },
      };
    });
    return { name, hold, isCome: () => come };
  }

  /** A file of the user, of which only what the program reads comes into memory, a block at a time. */
  function addSlicedFile(path, file) {
    // By their number in the file, the one that was used last at the end: work that is done in several steps reads again.
    const blocks = new Map();
    let next = 0;
    const changed = () => new Error(`${file.name} has been changed or removed since it was opened`);
    const load = (number) => {
      const count = number === next ? BLOCKS_AHEAD : 1;
      next = number + count;
      const address = URL.createObjectURL(file.slice(number * BLOCK_BYTES, next * BLOCK_BYTES));
      try {
        const bytes = bytesNow(address);
        for (let i = 0; i < count; ++i) blocks.set(number + i, bytes.slice(i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES));
      } catch {
        throw changed();
      } finally {
        URL.revokeObjectURL(address);
      }
    };
    const blockOf = (number) => {
      if (!blocks.has(number)) load(number);
      const block = blocks.get(number);
      blocks.delete(number);
      blocks.set(number, block);
      for (const oldest of blocks.keys()) {
        if (blocks.size <= MAX_BLOCKS) break;
        blocks.delete(oldest);
      }
      return block;
    };
    addReadFile(path, file.size, () => ({
      read: (stream, buffer, offset, length, position) => readOrFail(() => {
        const count = Math.max(0, Math.min(length, file.size - position));
        for (let done = 0; done < count;) {
          const from = position + done;
          const block = blockOf(Math.floor(from / BLOCK_BYTES));
          const piece = block.subarray(from % BLOCK_BYTES, from % BLOCK_BYTES + count - done);
          if (piece.length === 0) throw changed();
          buffer.set(piece, offset + done);
          done += piece.length;
        }
        return count;
      }),
    }));
  }

  let lazyFiles = [];
  /** sizes: {"NAME/model.safetensors": bytes, …} */
  function addModels(sizes) {
    lazyFiles = Object.entries(sizes).map(([name, size]) => addLazyFile(`${MODELS}/${name}`, size, `models/${name}`));
  }

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

  // ---- files that users bring in ---------------------------------------------------------------------------------

  const isLink = (text) => text.includes('#x=');

  function open(name) {
    if (attnscopePage.running) Module.ccall('attnscope_open', null, ['string'], [name]);
  }

  let openedFolders = 0;

  /** files: [{path, file}], with paths relative to what was dropped. Opens the first of each of `roots`. */
  async function openFiles(files, roots) {
    const isSliced = (file) => file.size >= SLICED_FROM_BYTES;
    const bytes = files.reduce((sum, each) => sum + (isSliced(each.file) ? 0 : each.file.size), 0);
    if (bytes > MAX_OPENED_BYTES) {
      say(`Not opened: ${megabytes(bytes)} are not allowed in a browser; allowed: at most ${megabytes(MAX_OPENED_BYTES)}. ` +
        'attnscope as an installed program reads larger files.');
      return;
    }
    openedFolders += 1;
    const folder = `${folders.opened}/${openedFolders}`;
    try {
      for (const { path, file } of files) {
        const target = `${folder}/${path}`;
        Module.FS.mkdirTree(target.slice(0, target.lastIndexOf('/')));
        if (isSliced(file)) addSlicedFile(target, file);
        else Module.FS.writeFile(target, new Uint8Array(await file.arrayBuffer()));
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
      if (name.startsWith('.') || path === `${folders.home}/attnscope`) continue;
      const status = FS.stat(path);
      if (FS.isDir(status.mode)) yield* userFiles(path);
      else yield path;
    }
  }

  const known = new Map();
  function noteFiles(act) {
    for (const folder of Object.values(folders)) {
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

  Object.assign(attnscopePage, { addModels, chooseFiles, download, drop, isLink, loadModels, noteFiles, open });
})();
