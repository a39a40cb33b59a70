// The script of a page that updates itself: it replaces the parts that have changed, and
// reads charts point by point.
'use strict';
(() => {
  const main = document.querySelector('main');
  const state = document.getElementById('state');
  const button = document.getElementById('pause');
  const root = document.documentElement;
  let source = null;
  let paused = false;
  let over = false;
  let retry = 0;
  let cursor = null; // {id, at}: the chart that is read, and where, from 0 to 1

  function say(text, bad) {
    if (state.textContent === text) return;
    state.textContent = text;
    state.className = bad ? 'missing' : 'up';
  }

  // show takes a message: all parts in their order, with the HTML of those that have changed.
  function show(page) {
    document.title = document.querySelector('h1').textContent = page.title;
    document.getElementById('of').textContent = page.of;
    let at = main.firstElementChild;
    for (const part of page.parts) {
      let section = document.getElementById(part.id);
      if (!section) {
        section = document.createElement('section');
        section.id = part.id;
      }
      if (section === at) at = at.nextElementSibling;
      else main.insertBefore(section, at);
      if (part.html !== undefined) replace(section, part.html);
    }
    while (at) {
      const next = at.nextElementSibling;
      at.remove();
      at = next;
    }
    root.dataset.updates = Number(root.dataset.updates ?? 0) + 1;
  }

  // replace keeps what the reader has done: the focus, the places of tables that are
  // scrolled, and the cursor of a chart.
  function replace(section, html) {
    const focus = section.contains(document.activeElement) ? document.activeElement.id : '';
    const scrolled = [...section.querySelectorAll('.wide')].map((x) => [x.id, x.scrollLeft, x.scrollTop]);
    const reading = cursor;
    section.innerHTML = html;
    cursor = reading; // what has lost the focus has let go of it
    if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
    for (const [id, left, top] of scrolled) {
      const x = document.getElementById(id);
      if (x) [x.scrollLeft, x.scrollTop] = [left, top];
    }
    if (cursor && section.querySelector('#' + CSS.escape(cursor.id))) read(cursor.id, cursor.at);
  }

  // value is what a place in the box of a chart means.
  function value(chart, y, height) {
    const [, , low, high] = chart.dataset.range.split(' ').map(Number);
    const part = 1 - y / height;
    return chart.dataset.scale === 'log' ? low * (high / low) ** part : low + (high - low) * part;
  }

  // read puts the cursor of a chart at the point next to a part of its width, and says the
  // values there.
  function read(id, at) {
    const chart = document.getElementById(id);
    const box = chart.querySelector('svg').viewBox.baseVal;
    const [first, last] = chart.dataset.range.split(' ').map(Number);
    const keys = [...chart.querySelectorAll('.key')];
    const said = [];
    let where = at * box.width;
    [...chart.querySelectorAll('polyline')].forEach((line, i) => {
      let near = line.points[0];
      for (const p of line.points) if (Math.abs(p.x - where) < Math.abs(near.x - where)) near = p;
      if (i === 0) where = near.x;
      said.push(`${keys[i].dataset.name} ${short(value(chart, near.y, box.height))}`);
    });
    cursor = { id, at: where / box.width };
    const line = chart.querySelector('.cursor');
    line.style.display = 'block';
    line.style.left = `${cursor.at * 100}%`;
    chart.querySelector('output').textContent = `${chart.dataset.x} ${short(first + (last - first) * cursor.at)}: ${said.join(', ')}`;
  }

  const short = (x) => String(Number(x.toPrecision(4)));

  // leave takes the cursor away.
  function leave() {
    if (!cursor) return;
    const chart = document.getElementById(cursor.id);
    cursor = null;
    if (!chart) return;
    chart.querySelector('.cursor').style.display = 'none';
    chart.querySelector('output').textContent = chart.dataset.x;
  }

  // step goes to the next point of a chart, or to the one before.
  function step(chart, by) {
    const points = [...chart.querySelector('polyline').points].map((p) => p.x);
    const width = chart.querySelector('svg').viewBox.baseVal.width;
    const here = cursor?.id === chart.id ? cursor.at * width : by < 0 ? Infinity : -Infinity;
    const next = by < 0 ? points.filter((x) => x < here - 0.01).at(-1) : points.find((x) => x > here + 0.01);
    if (next !== undefined) read(chart.id, next / width);
  }

  main.addEventListener('pointermove', (e) => {
    const chart = e.target.closest?.('.chart');
    if (!chart) return leave();
    const box = chart.querySelector('svg').getBoundingClientRect();
    if (cursor && cursor.id !== chart.id) leave();
    read(chart.id, Math.min(1, Math.max(0, (e.clientX - box.left) / box.width)));
  });
  main.addEventListener('pointerleave', leave);
  main.addEventListener('focusout', leave);

  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    const chart = document.activeElement?.closest?.('.chart');
    if (e.key === 'p') pause(!paused);
    else if (chart && e.key === 'ArrowLeft') step(chart, -1);
    else if (chart && e.key === 'ArrowRight') step(chart, 1);
    else if (chart && e.key === 'Escape') leave();
    else return;
    e.preventDefault();
  });

  function pause(on) {
    paused = on;
    button.setAttribute('aria-pressed', String(on));
    button.textContent = on ? 'Go on' : 'Pause';
    if (on) {
      close();
      if (!over) say('paused');
    } else connect();
  }
  button.addEventListener('click', () => pause(!paused));

  function close() {
    clearTimeout(retry);
    source?.close();
    source = null;
  }

  // connect asks for changes, unless nobody looks.
  function connect() {
    if (source || paused || over || document.hidden) return;
    source = new EventSource('events' + location.search);
    source.onopen = () => say('live');
    source.onmessage = (e) => show(JSON.parse(e.data));
    source.addEventListener('end', (e) => {
      over = true;
      button.hidden = true;
      close();
      say(JSON.parse(e.data), true);
    });
    source.onerror = () => {
      say('not reachable: this is how it was at ' + new Date().toLocaleTimeString(), true);
      if (source.readyState !== EventSource.CLOSED) return; // it tries again by itself
      close();
      retry = setTimeout(connect, 5000);
    };
  }

  document.addEventListener('visibilitychange', () => (document.hidden ? close() : connect()));
  connect();
})();
