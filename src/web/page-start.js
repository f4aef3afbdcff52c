// The start screen of the page: loads the program and shows how far it is, or why it cannot run.
//
// A page that holds the files itself has elements `file:NAME` with their bytes in base64 (scripts/web_page).
'use strict';

// What the page's files know of each other: each adds its functions, and is loaded before those that use them.
const attnscopePage = {};

(() => {
  const SAID_MS = 8000;

  const element = (id) => document.getElementById(id);

  // ---- what is said -----------------------------------------------------------------------------------------------

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

  async function startScript() {
    const script = document.createElement('script');
    script.src = heldElement('attnscope.js')
      ? URL.createObjectURL(new Blob([await bytesOf('attnscope.js')], { type: 'text/javascript' })) : 'attnscope.js';
    script.onerror = () => refuse('attnscope.js could not be loaded.');
    document.body.append(script);
  }

  Object.assign(attnscopePage, {
    element, canvas: element('canvas'), showState, refuse, say, missing, megabytes, Progress, heldElement, heldBytes, bytesOf,
    startScript,
  });
})();
