// The page: what is chosen, and the parts that show it.
import workerSource from 'worker:layout';
import { heat, kindColor, legend, okabe, statuses, theme } from './colors.js';
import { $, el, plural } from './dom.js';
import { compare, links, openAtFirst, paths, reads, search, visible } from './graph.js';
import { memoryTab } from './memory.js';
import { graphPanel, groupPanel, nodePanel, valuePanel } from './panel.js';
import { programTab } from './program.js';
import { Scene } from './scene.js';

const page = JSON.parse($('page').textContent);
const narrow = matchMedia('(max-width: 640px)');

for (const s of page.subjects) {
  if (s.profile) {
    s.profile.byName = new Map(s.profile.nodes.map((n) => [n.node, n]));
    s.profile.most = Math.max(...s.profile.nodes.map((n) => n.us));
  }
}

// layouts asks the worker, and leaves aside answers to questions that are out of date.
const worker = new Worker(URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' })));
const waiting = new Map();
let questions = 0;
worker.onmessage = ({ data }) => { waiting.get(data.id)?.(data); waiting.delete(data.id); };

function layoutOf(items, edges) {
  const id = ++questions;
  const array = (type, f) => type.from(items, f);
  worker.postMessage({
    id, parent: array(Int32Array, (i) => i.parent), w: array(Float32Array, (i) => i.w), h: array(Float32Array, (i) => i.h),
    from: Int32Array.from(edges, (e) => e.a), to: Int32Array.from(edges, (e) => e.b),
  });
  return new Promise((resolve) => waiting.set(id, resolve));
}

// Side is one of the two halves: a stage of a graph, as a scene.
class Side {
  constructor(canvas) {
    this.scene = new Scene(canvas, {
      pick: (_, i) => select(this, i), toggle: (_, i) => toggle(this, i), moved: () => follow(this),
    });
    this.statuses = new Map();
  }

  choose(subject, graph, stage) { Object.assign(this, { subject, graph, stage }); }

  async lay() {
    const v = visible(this.graph, this.stage, open);
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const laid = await layoutOf(v.items, v.edges);
    if (turn !== this.turn) return false;
    Object.assign(this, v);
    this.scene.show(v.items, v.edges, laid, this.paint());
    this.mark();
    return true;
  }

  // paint is how items look: by what they do, or by how much of something they take.
  paint() {
    const by = $('color').value;
    const measure = {
      time: (k) => this.subject.profile?.byName.get(this.graph.nodes[k].name)?.us ?? 0,
      flops: (k) => this.graph.nodes[k].work ?? 0,
      bytes: (k) => this.graph.nodes[k].traffic ?? 0,
    }[by];
    const sum = (item) => item.nodes.reduce((s, k) => s + measure(k), 0);
    const most = measure && Math.max(1e-9, ...this.items.filter((i) => i.kind !== 'open').map(sum));
    const part = (item) => sum(item) / most;
    return {
      whole: !!measure,
      fill: (item, t) => {
        if (item.kind === 'input' || item.kind === 'output') return t.dark ? '#33414a' : '#dde5ea';
        if (measure) return heat(part(item), t.dark);
        return item.kind === 'closed' ? okabe.gray : kindColor(this.graph.nodes[item.node].op);
      },
      text: (item, t) => (measure && item.nodes.length && part(item) > 0.22 ? (t.dark ? '#000000' : '#ffffff') : t.text),
      status: (item) => {
        let out;
        for (const k of item.nodes) { const s = this.statuses.get(k); if (s) { if (out && out !== s) return 'changed'; out = s; } }
        return out && item.kind === 'closed' && item.nodes.some((k) => !this.statuses.has(k)) ? 'changed' : out;
      },
      edge: (e) => { const v = this.graph.values[e.values[0]]; return e.values.length > 1 ? `${v.type} and ${e.values.length - 1} more` : v.type; },
    };
  }

  // mark marks what is selected and found.
  mark() {
    const s = this.scene;
    s.selected = new Set();
    s.found = new Set();
    if (chosen?.node !== undefined) {
      const k = this.byName(chosen.name);
      if (k !== undefined) s.selected.add(this.byNode.get(k));
    } else if (chosen?.path !== undefined) {
      const i = this.items.findIndex((x) => x.group !== undefined && paths(this.graph)[x.group] === chosen.path);
      if (i >= 0) s.selected.add(i);
    }
    for (const k of found) if (this === sides[0]) s.found.add(this.byNode.get(k));
    s.redraw();
  }

  byName(name) {
    this.stage.names ??= new Map(this.stage.nodes.map((k) => [this.graph.nodes[k].name, k]));
    return this.stage.names.get(name);
  }
}

const open = new Set(); // paths of groups
const known = new Set(); // of those that have been shown, which stay open or closed
let chosen = null; // {node, name} or {path} or {value}
let found = [];
const sides = [new Side($('left')), new Side($('right'))];
const comparing = () => $('compare').checked;

// follow has the other half move along.
function follow(side) {
  if (!comparing()) return;
  const other = sides[1 - sides.indexOf(side)];
  if (other.scene.layout && $('together').checked) {
    other.scene.view = { ...side.scene.view };
    other.scene.nextFrame();
  }
}

const entry = (select) => JSON.parse(select.value);

function choose(side, select) {
  const [s, g, t] = entry(select);
  const subject = page.subjects[s];
  side.choose(subject, subject.graphs[g], subject.graphs[g].stages[t]);
}

// welcome opens the groups that a stage shows for the first time, where there is room.
function welcome({ graph, stage }) {
  for (const path of openAtFirst(graph, stage)) if (!known.has(path)) open.add(path);
  for (const k of stage.nodes) for (let g = graph.nodes[k].group; g >= 0; g = graph.groups[g].parent) known.add(paths(graph)[g]);
}

// refresh lays out what is chosen. With fresh the groups that are open are chosen again.
async function refresh(fresh) {
  choose(sides[0], $('stage'));
  const two = comparing();
  if (two) choose(sides[1], $('other'));
  const [a, b] = sides;
  if (fresh) { open.clear(); known.clear(); }
  for (const side of two ? sides : [a]) welcome(side);
  a.statuses = two ? compare(a.graph, a.stage, b.graph, b.stage, 'removed') : new Map();
  if (two) b.statuses = compare(b.graph, b.stage, a.graph, a.stage, 'added');
  document.body.classList.toggle('two', two);
  $('rightpane').hidden = !two;
  const done = await Promise.all(sides.slice(0, two ? 2 : 1).map((s) => s.lay()));
  if (done.includes(false)) return;
  if (fresh) for (const s of sides.slice(0, two ? 2 : 1)) s.scene.fit();
  describe();
  explain();
  say(`${plural(a.stage.nodes.length, 'node')}, ${a.items.length} drawn${two ? `; ${b.stage.nodes.length} beside, ${a.statuses.size + b.statuses.size} differ` : ''}`);
}

function say(text) { $('status').textContent = text; }

// explain writes the legend: what the colors of boxes mean, and those of differences.
function explain() {
  const by = $('color').value;
  const shown = comparing() ? sides : [sides[0]];
  const ops = new Set(shown.flatMap((s) => s.stage.nodes.map((k) => s.graph.nodes[k].op)));
  const dark = theme().dark;
  const colors = by === 'kind' ? legend(ops) : [['least', heat(0, dark)], [`most ${$('color').selectedOptions[0].text}`, heat(1, dark)]];
  const signs = comparing() ? Object.entries(statuses).map(([name, s]) => [`${s.sign} ${name}`, s.color]) : [];
  $('legend').replaceChildren(...[...colors, ...signs].map(([name, color]) => swatch(color, name)));
}

function select(side, i) {
  if (i < 0) { chosen = null; $('panel').classList.remove('shown'); } else {
    const item = side.items[i];
    if (item.kind === 'node') chosen = { side, node: item.node, name: side.graph.nodes[item.node].name };
    else if (item.group !== undefined) chosen = { side, path: paths(side.graph)[item.group] };
    else chosen = { side, value: item.value, item };
    $('panel').classList.add('shown');
  }
  for (const s of sides) if (s.items) s.mark();
  describe();
}

// describe fills the panel.
function describe() {
  const side = chosen?.side ?? sides[0];
  let parts;
  if (chosen?.node !== undefined && side.byName(chosen.name) !== undefined) {
    const k = side.byName(chosen.name);
    parts = nodePanel({ ...side, status: side.statuses.get(k) }, k, (o) => reveal(side, o));
  } else if (chosen?.path !== undefined) {
    const i = side.items.findIndex((x) => x.group !== undefined && paths(side.graph)[x.group] === chosen.path);
    if (i >= 0) parts = groupPanel(side, side.items[i], () => toggle(side, i));
  } else if (chosen?.item) parts = valuePanel(side, chosen.item);
  $('details').replaceChildren(...(parts ?? graphPanel(sides[0])));
}

// toggle opens a group, or closes it, and keeps its place on the screen.
async function toggle(side, i) {
  const item = side.items[i];
  if (item?.group === undefined) return;
  const path = paths(side.graph)[item.group];
  const before = side.scene.on(i);
  if (!open.delete(path)) open.add(path);
  chosen = { side, path };
  await refresh(false);
  const at = side.items.findIndex((x) => x.group === item.group);
  if (at < 0) return;
  const after = side.scene.on(at);
  side.scene.pan(before.x - after.x, before.y - after.y);
}

// reveal opens the groups around a node and brings it into the middle.
async function reveal(side, k) {
  let grown = false;
  for (let g = side.graph.nodes[k].group; g >= 0; g = side.graph.groups[g].parent) {
    const path = paths(side.graph)[g];
    if (!open.has(path)) { open.add(path); grown = true; }
  }
  chosen = { side, node: k, name: side.graph.nodes[k].name };
  if (grown) await refresh(false);
  else { for (const s of sides) if (s.items) s.mark(); describe(); }
  $('panel').classList.add('shown');
  const i = side.byNode.get(k);
  if (i !== undefined) side.scene.center(i);
  follow(side);
}

// Search: a list of what is found, and Enter goes from one to the next.
let nth = -1;
function find() {
  const side = sides[0];
  found = search(side.graph, side.stage, $('search').value);
  nth = -1;
  $('found').replaceChildren(...found.slice(0, 100).map((k) => el('li', {}, el('button', { class: 'link', click: () => reveal(side, k) }, `${side.graph.nodes[k].name || '(no name)'} `, el('span', { class: 'dim' }, side.graph.nodes[k].op)))));
  $('found').hidden = !$('search').value;
  side.mark();
  say(`${found.length} found`);
}

function next(step) {
  if (!found.length) return;
  nth = (nth + step + found.length) % found.length;
  say(`${nth + 1} of ${found.length}`);
  reveal(sides[0], found[nth]);
}

// neighbor is the node that an arrow key leads to from the selected one.
function neighbor(side, key) {
  const { def, uses } = links(side.graph, side.stage);
  const node = side.graph.nodes[chosen.node];
  if (key === 'ArrowUp') return reads(node).filter((v) => def.has(v)).map((v) => def.get(v))[0];
  if (key === 'ArrowDown') return (node.out ?? []).flatMap((v) => uses.get(v) ?? [])[0];
  const { x, y } = side.scene.layout;
  const me = side.byNode.get(chosen.node);
  const way = key === 'ArrowLeft' ? -1 : 1;
  let best;
  side.items.forEach((item, i) => {
    const d = (x[i] - x[me]) * way;
    if (item.kind !== 'node' || d <= 0 || Math.abs(y[i] - y[me]) > 40) return;
    if (best === undefined || d < (x[best] - x[me]) * way) best = i;
  });
  return best === undefined ? undefined : side.items[best].node;
}

const pans = { ArrowUp: [0, 60], ArrowDown: [0, -60], ArrowLeft: [60, 0], ArrowRight: [-60, 0] };

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== 'checkbox';
  if (e.key === 'Escape') { escape(); return; }
  if (e.target === $('search') && e.key === 'Enter') { next(e.shiftKey ? -1 : 1); return; }
  if (typing || e.target.tagName === 'BUTTON' && e.key === 'Enter') return;
  const side = chosen?.side ?? sides[0];
  const scene = side.scene;
  if (e.key === '/') { addEventListener('keyup', () => $('search').focus(), { once: true }); } else if (e.key === '+' || e.key === '=') scene.zoom(1.25);
  else if (e.key === '-') scene.zoom(0.8);
  else if (e.key === '0') scene.fit(true);
  else if (e.key === 'Enter') { const [i] = scene.selected; if (i !== undefined) toggle(side, i); } else if (pans[e.key]) {
    const to = chosen?.node !== undefined && !e.shiftKey ? neighbor(side, e.key) : undefined;
    if (to !== undefined) reveal(side, to);
    else scene.pan(...pans[e.key]);
  } else return;
  e.preventDefault();
}

function escape() {
  if ($('search').value) { $('search').value = ''; find(); }
  $('search').blur();
  $('found').hidden = true;
  select(sides[0], -1);
}

function tab(name) {
  for (const b of document.querySelectorAll('[role=tab]')) b.setAttribute('aria-selected', String(b.dataset.tab === name));
  for (const s of document.querySelectorAll('main > section')) s.hidden = s.id !== name;
  document.body.dataset.tab = name;
  const subject = sides[0].subject;
  if (name === 'memory') memoryTab($('memory'), subject);
  if (name === 'program') programTab($('program'), subject);
  if (name === 'graph') for (const s of sides) s.scene.redraw();
}

// options fills a list of stages.
function options(into, last) {
  const many = page.subjects.length > 1;
  page.subjects.forEach((s, i) => s.graphs.forEach((g, j) => {
    const title = [many ? s.title : '', s.graphs.length > 1 ? g.name : ''].filter(Boolean).join(': ') || 'stages';
    into.append(el('optgroup', { label: title }, g.stages.map((t, k) => el('option', { value: JSON.stringify([i, j, k]) }, `${title === 'stages' ? '' : title + ' '}after ${t.name} (${t.nodes.length})`))));
  }));
  into.value = JSON.stringify(last);
}

async function start() {
  const [first, second] = [page.subjects[0], page.subjects[1]];
  document.title = page.subjects.map((s) => s.title).join(' and ');
  $('title').textContent = document.title;
  const end = (s, g) => s.graphs[g].stages.length - 1;
  options($('stage'), [0, 0, second ? end(first, 0) : 0]);
  options($('other'), second ? [1, 0, end(second, 0)] : [0, 0, end(first, 0)]);
  $('compare').checked = !!second && !narrow.matches;
  $('color').querySelector('[value=time]').disabled = !page.subjects.some((s) => s.profile);
  if (first.profile) { $('color').value = 'time'; $('stage').value = JSON.stringify([0, 0, end(first, 0)]); }
  document.querySelector('[data-tab=memory]').hidden = !first.memory;
  document.querySelector('[data-tab=program]').hidden = !first.program;
  for (const b of document.querySelectorAll('[role=tab]')) b.addEventListener('click', () => tab(b.dataset.tab));
  for (const id of ['stage', 'other', 'compare']) $(id).addEventListener('change', () => refresh(id === 'stage' && sides[0].graph !== page.subjects[entry($('stage'))[0]].graphs[entry($('stage'))[1]] || id === 'compare').then(() => $('search').value && find()));
  $('color').addEventListener('change', () => { for (const s of sides) if (s.items) { s.scene.paint = s.paint(); s.scene.redraw(); } explain(); });
  $('search').addEventListener('input', find);
  $('close').addEventListener('click', () => select(sides[0], -1));
  $('in').addEventListener('click', () => sides[0].scene.zoom(1.25));
  $('out').addEventListener('click', () => sides[0].scene.zoom(0.8));
  $('fit').addEventListener('click', () => { for (const s of sides) s.scene.fit(true); });
  document.addEventListener('keydown', onKey);
  addEventListener('resize', () => { for (const s of sides) s.scene.redraw(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { for (const s of sides) s.scene.redraw(); explain(); });
  tab('graph');
  await refresh(true);
  sides[0].scene.draw();
  document.documentElement.dataset.firstFrame = performance.now().toFixed(0);
}

// swatch is a color of the legend; its color is set as a property, since inline styles are
// forbidden.
function swatch(color, name) {
  const dot = el('i', {});
  dot.style.background = color;
  return el('span', { class: 'swatch' }, dot, name);
}

// For tests and the console: where a node or group is on the screen, and how fast drawing is.
window.bbgenView = {
  where(name) {
    const s = sides[0];
    const i = s.items.findIndex((x) => x.label === name || x.node !== undefined && s.graph.nodes[x.node].name === name);
    return i < 0 ? null : s.scene.on(i);
  },
  drawn: () => sides[0].items.map((x) => `${x.kind} ${x.label}`),
  view: () => ({ ...sides[0].scene.view }),
  // drift is how much of the canvas differs from what it shows when all of it is drawn anew.
  drift() {
    const { scene } = sides[0];
    const { width, height } = scene.canvas;
    const pixels = () => {
      const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
      copy.drawImage(scene.canvas, 0, 0);
      return copy.getImageData(0, 0, width, height).data;
    };
    scene.draw();
    const moved = pixels();
    scene.redraw();
    scene.draw();
    const anew = pixels();
    let differ = 0;
    for (let i = 0; i < anew.length; i += 4) if (Math.abs(anew[i] - moved[i]) + Math.abs(anew[i + 1] - moved[i + 1]) + Math.abs(anew[i + 2] - moved[i + 2]) > 48) differ++;
    return (4 * differ) / anew.length;
  },
  async pan(frames) {
    const scene = sides[0].scene;
    const draws = [];
    const begin = performance.now();
    for (let i = 0; i < frames; i++) {
      await new Promise(requestAnimationFrame);
      scene.view.y += Math.sin((4 * Math.PI * i) / frames) * 8; // there and back
      scene.view.x += Math.cos((4 * Math.PI * i) / frames) * 8;
      const from = performance.now();
      scene.draw();
      draws.push(performance.now() - from);
    }
    draws.sort((a, b) => a - b);
    return { median: draws[frames >> 1], p95: draws[Math.floor(frames * 0.95)], fps: (1000 * frames) / (performance.now() - begin) };
  },
};

start();
