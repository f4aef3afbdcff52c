// Fingers on the page, as a mouse for the program. One finger is the mouse: a tap points and clicks, held still it clicks as
// a mouse does, drawn it drags. Two zoom.
'use strict';

(() => {
  const { canvas } = attnscopePage;

  const LONG_PRESS_MS = 500;
  // A frame must see what is pressed.
  const PRESSED_MS = 50;
  // Less is a finger that trembles, in CSS pixels.
  const TOUCH_MOVES_PX = 8;
  // As far as turning a wheel by a step zooms: the figure follows the fingers.
  const WHEEL_STEP = 100;
  const ZOOM_PER_STEP = 1.2;

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
      setTimeout(() => actAsMouse('mouseup', x, y), PRESSED_MS);
    }, LONG_PRESS_MS);
  }

  function moveTouch(event) {
    if (touch.kind === 'pinch' && event.touches.length > 1) {
      const [a, b] = event.touches;
      const spread = spreadOf(event.touches);
      const deltaY = -WHEEL_STEP * Math.log(spread / touch.spread) / Math.log(ZOOM_PER_STEP);
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
    setTimeout(() => actAsMouse('mouseup', x, y), PRESSED_MS);
  }

  function onTouch(act) {
    return (event) => {
      // The toolkit would make a mouse of the first finger only.
      if (event.cancelable) event.preventDefault();
      event.stopImmediatePropagation();
      act(event);
    };
  }

  function listenToTouch() {
    for (const [name, act] of [['touchstart', beginTouch], ['touchmove', moveTouch], ['touchend', endTouch],
      ['touchcancel', endTouch]])
      addEventListener(name, onTouch(act), { capture: true, passive: false });
    // A mouse that is used beside a finger.
    addEventListener('mousemove', (event) => { if (event.isTrusted) setTouched(false); }, true);
  }

  Object.assign(attnscopePage, { listenToTouch });
})();
