// A canvas that shows a laid out graph: pan, zoom, and what is under the pointer. Only
// what is in sight is drawn, with as much detail as its size lets one see.
import { statuses, theme } from './colors.js';

const row = 400; // height of the strips that edges are found by
const manyRows = 24;
const beyond = 8; // pixels that lines and marks reach beyond what they belong to

export class Scene {
  constructor(canvas, { pick, toggle, moved }) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
    this.view = { x: 0, y: 0, scale: 1 };
    this.selected = new Set();
    this.found = new Set();
    Object.assign(this, { pick, toggle, moved });
    this.listen();
  }

  // show takes over items and their layout, and how each is painted.
  show(items, edges, layout, paint) {
    Object.assign(this, { items, edges, layout, paint });
    const { x, y, w, h } = layout;
    this.boxes = items.map((_, i) => i).filter((i) => items[i].kind === 'open');
    this.leaves = items.map((_, i) => i).filter((i) => items[i].kind !== 'open').sort((a, b) => y[a] - y[b]);
    this.tallest = this.leaves.reduce((most, i) => Math.max(most, h[i]), 0);
    this.rows = [];
    this.long = [];
    for (let e = 0; e < edges.length; e++) {
      const p = layout.points;
      const top = Math.floor(p[layout.start[e] + 1] / row);
      const bottom = Math.floor(p[layout.start[e + 1] - 1] / row);
      const [first, last] = [Math.max(0, Math.min(top, bottom)), Math.max(top, bottom)];
      if (last - first > manyRows) this.long.push(e);
      else for (let r = first; r <= last; r++) (this.rows[r] ??= []).push(e);
    }
    this.leftmost = new Float32Array(edges.length);
    this.rightmost = new Float32Array(edges.length);
    for (let e = 0; e < edges.length; e++) {
      let [least, most] = [Infinity, -Infinity];
      for (let k = layout.start[e]; k < layout.start[e + 1]; k += 2) { least = Math.min(least, layout.points[k]); most = Math.max(most, layout.points[k]); }
      this.leftmost[e] = least;
      this.rightmost[e] = most;
    }
    this.stamp = new Uint32Array(edges.length);
    this.turn = 0;
    this.extent = { w: layout.width, h: layout.height, x, y, hh: h, ww: w };
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
      this.canvas.width = Math.round(w * ratio);
      this.canvas.height = Math.round(h * ratio);
    }
    this.size = { w, h, ratio };
  }

  // fit shows all of the graph, or its top where it is long.
  fit(whole = false) {
    if (!this.layout) return;
    this.resize();
    const { w, h } = this.size;
    const wide = (w - 24) / Math.max(1, this.layout.width);
    const all = Math.min(wide, (h - 24) / Math.max(1, this.layout.height));
    const scale = Math.min(1.25, whole ? all : Math.max(all, Math.min(wide, 0.6)));
    this.view = { scale, x: (w - this.layout.width * scale) / 2, y: Math.max(12, (h - this.layout.height * scale) / 2) };
    this.redraw();
  }

  // redraw has all of the canvas drawn with the next frame.
  redraw() {
    this.shown = null;
    this.nextFrame();
  }

  nextFrame() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => { this.due = 0; this.draw(); });
  }

  // draw brings the canvas up to date. Where the graph has only moved, what is there moves
  // along, and what comes into sight is drawn.
  draw() {
    this.resize();
    const { ratio } = this.size;
    const { scale } = this.view;
    const [x, y] = [Math.round(this.view.x * ratio), Math.round(this.view.y * ratio)]; // whole pixels
    const s = this.shown;
    const [wide, high] = [this.canvas.width, this.canvas.height];
    this.shown = { x, y, scale, wide, high };
    if (!s || s.scale !== scale || s.wide !== wide || s.high !== high || this.selected.size || !this.layout) { this.drawPart(0, 0, wide, high); return; }
    const [dx, dy] = [x - s.x, y - s.y];
    if (Math.abs(dx) >= wide || Math.abs(dy) >= high) { this.drawPart(0, 0, wide, high); return; }
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    if (dx || dy) this.context.drawImage(this.canvas, dx, dy);
    if (dy) this.drawPart(0, dy > 0 ? 0 : high + dy, wide, Math.abs(dy));
    if (dx) this.drawPart(dx > 0 ? 0 : wide + dx, 0, Math.abs(dx), high);
  }

  // drawPart draws what a rectangle of the canvas shows.
  drawPart(left, top, wide, high) {
    const t = theme();
    const c = this.context;
    const { ratio } = this.size;
    const { x, y, scale } = this.shown;
    c.save();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.beginPath();
    c.rect(left, top, wide, high);
    c.clip();
    c.fillStyle = t.back;
    c.fillRect(left, top, wide, high);
    if (this.layout) {
      const k = ratio * scale;
      c.setTransform(k, 0, 0, k, x, y);
      const sight = { left: (left - x - beyond) / k, top: (top - y - beyond) / k, right: (left + wide - x + beyond) / k, bottom: (top + high - y + beyond) / k };
      this.drawBoxes(c, t, sight);
      this.drawEdges(c, t, sight);
      this.drawLeaves(c, t, sight);
    }
    c.restore();
  }

  inSight(i, s) {
    const { x, y, w, h } = this.layout;
    return x[i] < s.right && x[i] + w[i] > s.left && y[i] < s.bottom && y[i] + h[i] > s.top;
  }

  drawBoxes(c, t, sight) {
    const { x, y, w, h } = this.layout;
    for (const i of this.boxes) {
      if (!this.inSight(i, sight)) continue;
      c.fillStyle = t.group;
      c.fillRect(x[i], y[i], w[i], h[i]);
      c.strokeStyle = this.selected.has(i) ? t.select : t.line;
      c.lineWidth = (this.selected.has(i) ? 3 : 1) / Math.min(1, this.view.scale * 1.5);
      c.strokeRect(x[i], y[i], w[i], h[i]);
      if (this.view.scale > 0.2) {
        c.fillStyle = t.dim;
        c.font = '600 12px system-ui, sans-serif';
        c.textAlign = 'left';
        c.fillText(clip(c, `− ${this.items[i].label}`, w[i] - 16), x[i] + 8, y[i] + 17);
      }
    }
  }

  drawEdges(c, t, sight) {
    const { start, points: p } = this.layout;
    const { scale } = this.view;
    const hot = [];
    this.turn++;
    c.beginPath();
    const least = 1.5 / scale; // shorter ones are not seen
    const one = (e) => {
      if (this.stamp[e] === this.turn || this.leftmost[e] > sight.right || this.rightmost[e] < sight.left) return;
      this.stamp[e] = this.turn;
      const a = start[e];
      const b = start[e + 1] - 2;
      if (Math.abs(p[b + 1] - p[a + 1]) + Math.abs(p[b] - p[a]) < least && !this.selected.size) return;
      if (this.selected.has(this.edges[e].a) || this.selected.has(this.edges[e].b)) { hot.push(e); return; }
      this.trace(c, e, scale > 0.15);
    };
    for (let r = Math.max(0, Math.floor(sight.top / row)); r <= sight.bottom / row && r < this.rows.length; r++) for (const e of this.rows[r] ?? []) one(e);
    for (const e of this.long) one(e);
    c.strokeStyle = t.line;
    c.lineWidth = Math.max(1, 0.6 / scale);
    c.stroke();
    if (!hot.length) return;
    c.beginPath();
    for (const e of hot) this.trace(c, e, true);
    c.strokeStyle = t.select;
    c.lineWidth = Math.max(2, 1.5 / scale);
    c.stroke();
    if (scale > 0.45) this.drawTypes(c, t, hot);
  }

  trace(c, e, curved) {
    const { start, points: p } = this.layout;
    c.moveTo(p[start[e]], p[start[e] + 1]);
    for (let k = start[e] + 2; k < start[e + 1]; k += 2) {
      if (!curved) { c.lineTo(p[k], p[k + 1]); continue; }
      const bend = (p[k + 1] - p[k - 1]) / 2;
      c.bezierCurveTo(p[k - 2], p[k - 1] + bend, p[k], p[k + 1] - bend, p[k], p[k + 1]);
    }
  }

  // drawTypes says what goes along the edges of what is selected.
  drawTypes(c, t, hot) {
    const { start, points: p } = this.layout;
    c.font = '11px system-ui, sans-serif';
    c.textAlign = 'center';
    for (const e of hot.slice(0, 40)) {
      const text = this.paint.edge(this.edges[e]);
      const x = (p[start[e]] + p[start[e + 1] - 2]) / 2;
      const y = (p[start[e] + 1] + p[start[e + 1] - 1]) / 2;
      const wide = c.measureText(text).width + 8;
      c.fillStyle = t.back;
      c.fillRect(x - wide / 2, y - 8, wide, 15);
      c.fillStyle = t.text;
      c.fillText(text, x, y + 3);
    }
  }

  drawLeaves(c, t, sight) {
    const { y } = this.layout;
    const { scale } = this.view;
    let lo = 0;
    let hi = this.leaves.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (y[this.leaves[mid]] + this.tallest < sight.top) lo = mid + 1; else hi = mid; }
    for (; lo < this.leaves.length && y[this.leaves[lo]] < sight.bottom; lo++) {
      const i = this.leaves[lo];
      if (this.inSight(i, sight)) this.drawLeaf(c, t, i, scale);
    }
  }

  drawLeaf(c, t, i, scale) {
    const { x, y, w, h } = this.layout;
    const item = this.items[i];
    const fill = this.paint.fill(item, t);
    const status = statuses[this.paint.status(item)];
    const marked = this.selected.has(i) || this.found.has(i);
    if (scale < 0.25) {
      c.fillStyle = status?.color ?? fill;
      c.fillRect(x[i], y[i], w[i], h[i]);
    } else {
      const port = item.kind === 'input' || item.kind === 'output';
      c.beginPath();
      c.roundRect(x[i], y[i], w[i], h[i], port ? h[i] / 2 : 5);
      c.fillStyle = this.paint.whole ? fill : t.box;
      c.fill();
      c.strokeStyle = status?.color ?? t.line;
      c.lineWidth = status ? 3 : 1;
      c.stroke();
      if (!this.paint.whole && !port) {
        c.fillStyle = fill;
        c.fillRect(x[i] + 1, y[i] + 5, 5, h[i] - 10);
      }
      if (item.kind === 'closed') c.strokeRect(x[i] + 3, y[i] - 3, w[i] - 6, 3);
      if (scale > 0.4) this.drawText(c, t, i, item, status);
    }
    if (marked) {
      c.strokeStyle = this.selected.has(i) ? t.select : statuses.removed.color;
      c.lineWidth = 3 / Math.min(1, scale * 1.5);
      c.strokeRect(x[i] - 3, y[i] - 3, w[i] + 6, h[i] + 6);
    }
  }

  drawText(c, t, i, item, status) {
    const { x, y, w } = this.layout;
    c.textAlign = 'left';
    c.font = '600 12px system-ui, sans-serif';
    c.fillStyle = this.paint.text?.(item, t) ?? t.text;
    const label = (status ? `${status.sign} ` : '') + (item.kind === 'closed' ? `+ ${item.label}` : item.label);
    c.fillText(clip(c, label, w[i] - 17), x[i] + 11, y[i] + 15);
    c.font = '11px system-ui, sans-serif';
    if (!this.paint.whole) c.fillStyle = t.dim;
    c.fillText(clip(c, item.sub, w[i] - 17), x[i] + 11, y[i] + 29);
  }

  // at is the item under a point of the canvas, the innermost; -1 if there is none.
  at(px, py) {
    if (!this.layout) return -1;
    const { x, y, w, h } = this.layout;
    const wx = (px - this.view.x) / this.view.scale;
    const wy = (py - this.view.y) / this.view.scale;
    const hit = (i) => wx >= x[i] && wx <= x[i] + w[i] && wy >= y[i] && wy <= y[i] + h[i];
    const leaf = this.leaves.find(hit);
    return leaf ?? this.boxes.findLast(hit) ?? -1;
  }

  // center brings an item into the middle.
  center(i) {
    this.resize();
    const { x, y, w, h } = this.layout;
    const scale = Math.max(this.view.scale, 0.7);
    const top = this.items[i].kind === 'open' ? 60 : h[i] / 2;
    this.view = { scale, x: this.size.w / 2 - (x[i] + w[i] / 2) * scale, y: this.size.h / 2 - (y[i] + top) * scale };
    this.redraw();
  }

  // on is where the middle of an item is on the screen.
  on(i) {
    const { x, y, w, h } = this.layout;
    const r = this.canvas.getBoundingClientRect();
    const top = this.items[i].kind === 'open' ? 12 : h[i] / 2;
    return { x: r.left + this.view.x + (x[i] + w[i] / 2) * this.view.scale, y: r.top + this.view.y + (y[i] + top) * this.view.scale };
  }

  pan(dx, dy) {
    this.view.x += dx;
    this.view.y += dy;
    this.nextFrame();
    this.moved?.(this);
  }

  zoom(factor, px = this.size.w / 2, py = this.size.h / 2) {
    const scale = Math.max(0.004, Math.min(4, this.view.scale * factor));
    const f = scale / this.view.scale;
    this.view = { scale, x: px - (px - this.view.x) * f, y: py - (py - this.view.y) * f };
    this.redraw();
    this.moved?.(this);
  }

  listen() {
    const c = this.canvas;
    const pointers = new Map();
    let moved = 0;
    const spread = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a.x - b.x, a.y - b.y); };
    c.addEventListener('pointerdown', (e) => { c.setPointerCapture(e.pointerId); pointers.set(e.pointerId, { x: e.offsetX, y: e.offsetY }); moved = 0; });
    c.addEventListener('pointermove', (e) => {
      const last = pointers.get(e.pointerId);
      if (!last) return;
      const before = pointers.size === 2 ? spread() : 0;
      const [dx, dy] = [e.offsetX - last.x, e.offsetY - last.y];
      pointers.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
      moved += Math.abs(dx) + Math.abs(dy);
      if (pointers.size === 2) this.zoom(spread() / before, e.offsetX, e.offsetY);
      else this.pan(dx, dy);
    });
    const end = (e) => {
      if (!pointers.delete(e.pointerId) || moved > 4 || e.type !== 'pointerup') return;
      this.pick(this, this.at(e.offsetX, e.offsetY));
    };
    c.addEventListener('pointerup', end);
    c.addEventListener('pointercancel', end);
    c.addEventListener('dblclick', (e) => this.toggle(this, this.at(e.offsetX, e.offsetY)));
    c.addEventListener('wheel', (e) => {
      e.preventDefault();
      if (e.ctrlKey || !e.shiftKey) this.zoom(Math.exp(-e.deltaY * 0.0015), e.offsetX, e.offsetY);
      else this.pan(-e.deltaY, 0);
    }, { passive: false });
  }
}

const clipped = new Map();

// clip cuts a text that is wider than it may be in the font of the context.
export function clip(c, text, wide) {
  const key = `${c.font}\n${Math.round(wide)}\n${text}`;
  let s = clipped.get(key);
  if (s === undefined) {
    if (clipped.size > 50000) clipped.clear();
    clipped.set(key, (s = cut(c, text, wide)));
  }
  return s;
}

function cut(c, text, wide) {
  let n = text.length;
  for (let w = c.measureText(text).width; w > wide && n > 1; w = c.measureText(`${text.slice(0, n)}…`).width) n = Math.min(n - 1, Math.floor((n * wide) / w));
  return n === text.length ? text : `${text.slice(0, n)}…`;
}
