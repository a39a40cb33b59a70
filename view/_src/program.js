// How a program is cut: a picture of its classes with what goes between them, and tables.
import { bytes, el, plural, table } from './dom.js';
import { svg } from './panel.js';

export function programTab(root, subject) {
  const p = subject.program;
  if (!p) { root.replaceChildren(el('p', {}, 'This is a model; programs for several peers have classes and edges.')); return; }
  const assumed = Object.entries(p.assumed ?? {}).map(([k, n]) => `${k}=${n}`).join(', ');
  root.replaceChildren(
    el('h2', {}, 'Classes of peers'), el('div', { class: 'wide' }, picture(p)),
    el('p', {}, `A round sends ${bytes(p.bytes)}`, assumed ? `, if ${assumed}.` : '.'),
    el('h3', {}, 'Edges'),
    table(['edge', 'to', 'type', 'depth', 'value', 'a round', 'on the wire', 'written at'], p.edges.map((e) => [e.name, e.to, e.type, String(e.depth), bytes(e.value_bytes), String(e.fills), bytes(e.bytes), e.pos ?? ''])),
    ...p.classes.flatMap(classPart),
    el('details', {}, el('summary', {}, 'All of it as text'), el('pre', {}, p.text)),
  );
}

function classPart(c) {
  const rows = c.modules.flatMap((m) => m.blocks.map((b, i) => [i ? '' : `${m.name}: ${m.opens}`, b.name, b.waits.join(', '), b.starts.join(', '), String(b.steps), String(b.nodes)]));
  return [
    el('h3', {}, `Class ${c.name}: ${plural(rows.length, 'block')}`),
    el('p', { class: 'dim' }, c.slots.length ? `Slots: ${c.slots.map((s) => `${s.name} (${s.role})`).join(', ')}` : 'No slots'),
    table(['activity', 'block', 'waits for', 'starts', 'steps', 'nodes that compute'], rows),
  ];
}

// picture has the classes in a circle, with one arrow for each edge.
function picture(p) {
  const n = p.classes.length;
  const pairs = new Map(); // how many edges lead from a class to another
  const nth = p.edges.map((e) => {
    const key = `${e.from}\n${e.to}`;
    const i = pairs.get(key) ?? 0;
    pairs.set(key, i + 1);
    return i;
  });
  const [w, h] = [820, n > 2 ? 470 : 2 * (bend(Math.max(0, ...nth)) + 30)];
  const at = new Map(p.classes.map((c, i) => {
    const turn = (2 * Math.PI * i) / n + (n > 2 ? -Math.PI / 2 : Math.PI);
    return [c.name, [w / 2 + Math.cos(turn) * (n > 2 ? 320 : 240), h / 2 + Math.sin(turn) * (n > 2 ? 195 : 0)]];
  }));
  const most = Math.max(1, ...p.edges.map((e) => e.bytes));
  const arrows = p.edges.flatMap((e, i) => {
    const [a, b] = [at.get(e.from), at.get(e.to)];
    if (!a || !b) return [];
    return arrow(a, b, bend(nth[i]), 1 + (3 * e.bytes) / most, `${e.name}: ${bytes(e.bytes)}`, e.from === e.to);
  });
  const boxes = p.classes.flatMap((c) => {
    const [x, y] = at.get(c.name);
    const blocks = c.modules.reduce((s, m) => s + m.blocks.length, 0);
    return [svg('rect', { x: x - 62, y: y - 22, width: 124, height: 44, rx: 6, class: 'class' }), svg('text', { x, y: y - 3, class: 'name' }, c.name), svg('text', { x, y: y + 13 }, plural(blocks, 'block'))];
  });
  const head = svg('marker', { id: 'head', viewBox: '0 0 8 8', refX: 5, refY: 4, markerWidth: 13, markerHeight: 13, markerUnits: 'userSpaceOnUse', orient: 'auto' }, svg('path', { d: 'M0 0L8 4L0 8z' }));
  return svg('svg', { class: 'classes', viewBox: `0 0 ${w} ${h}`, role: 'img', 'aria-label': `${n} classes and ${p.edges.length} edges` }, svg('defs', {}, head), ...arrows.filter((a) => a.tagName === 'path'), ...boxes, ...arrows.filter((a) => a.tagName === 'text'));
}

// bend is how far the nth edge of two classes is from the line between them.
const bend = (nth) => 24 + 30 * nth;

// arrow bends to the side by which the two ways between classes are told apart. Its text is outside of the curve.
function arrow([ax, ay], [bx, by], far, wide, text, self) {
  if (self) {
    const top = ay - 22 - far;
    return [svg('path', { d: `M${ax - 20} ${ay - 22}C${ax - 40} ${top} ${ax + 40} ${top} ${ax + 20} ${ay - 22}`, class: 'edge', 'stroke-width': wide, 'marker-end': 'url(#head)' }), svg('text', { x: ax, y: top + 4 }, text)];
  }
  const d = Math.hypot(bx - ax, by - ay);
  const [ux, uy] = [(bx - ax) / d, (by - ay) / d];
  const [mx, my] = [(ax + bx) / 2 - uy * far * 2, (ay + by) / 2 + ux * far * 2];
  const reach = Math.min(70, d / 3);
  const [sx, sy, ex, ey] = [ax + ux * reach, ay + uy * reach - uy * 10, bx - ux * reach, by - uy * reach];
  return [
    svg('path', { d: `M${sx} ${sy}Q${mx} ${my} ${ex} ${ey}`, class: 'edge', 'stroke-width': wide, 'marker-end': 'url(#head)' }),
    svg('text', { x: (sx + ex) / 4 + mx / 2 - uy * (9 + wide), y: (sy + ey) / 4 + my / 2 + 4 + ux * (9 + wide) }, text),
  ];
}
