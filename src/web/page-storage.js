// What the browser keeps of the program's files: the user's folder, with settings and unsaved edits.
'use strict';

(() => {
  const { say } = attnscopePage;

  /** In the program's file system. Only `home` is kept. */
  const folders = { home: '/home/attnscope', opened: '/opened', downloads: '/downloads' };

  function stampOf(path) {
    const { size, mtime, ino } = Module.FS.stat(path);
    return `${path}:${size}:${Number(mtime)}:${ino}`;
  }

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

  /** Mounts the user's folder and calls `then`; the program starts once it is read. */
  function mountStorage(isKeeper, then) {
    const { FS } = Module;
    for (const folder of Object.values(folders)) FS.mkdirTree(folder);
    FS.chdir(folders.downloads);
    if (!isKeeper) {
      say('attnscope is open in another tab, which keeps unsaved edits; this one keeps none.');
      then();
      return;
    }
    Module.addRunDependency('storage');
    try {
      FS.mount(Module.IDBFS ?? FS.filesystems.IDBFS, {}, folders.home);
    } catch {
      then();
      Module.removeRunDependency('storage');
      return;
    }
    FS.syncfs(true, (error) => {
      keeps = !error;
      if (error) say('Unsaved edits cannot be kept: the browser gives this page no storage.');
      then();
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
    const stamp = folderStamp(folders.home);
    if (stamp === keptStamp) return;
    keptStamp = stamp;
    keep();
  }

  Object.assign(attnscopePage, { folders, stampOf, becomeKeeper, mountStorage, keep, keepChanges });
})();
