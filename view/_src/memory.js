// The memory plan over time: a box for each value, from its first step to its last, at its
// place in the arena; buffers that grow have a line each.
import { bytes, el, table } from './dom.js';
import { okabe, theme } from './colors.js';
import { clip } from './scene.js';

const colors = [okabe.sky, okabe.orange, okabe.green, okabe.purple, okabe.yellow, okabe.blue, okabe.vermillion];

export function memoryTab(root, subject) {
  const plans = subject.memory ?? [];
  if (!plans.length) { root.replaceChildren(el('p', {}, 'There is no plan of memory: a program has one for each computation of its peers.')); return; }
  root.replaceChildren(...plans.flatMap((m) => plan(m)));
}

function plan(m) {
  const tip = el('p', { class: 'tip', 'aria-live': 'polite' }, 'Point at a value to see what it is.');
  const arena = m.lives.filter((l) => l.place === 'arena');
  const buffers = m.lives.filter((l) => l.place !== 'arena');
  const parts = [
    el('h2', {}, `Memory of ${m.graph}`),
    el('p', {}, `The arena has ${bytes(m.arena_bytes)} and ${m.steps} steps use it.`, m.peak.step ? ` Most is in use at step ${m.peak.step} (${m.peak.node}): ${bytes(m.peak.bytes)}.` : ''),
    tip,
  ];
  if (arena.length) parts.push(el('h3', {}, 'Arena: offset by step'), chart(m, arena, (l) => [l.off, l.bytes], m.arena_bytes, tip));
  if (buffers.length) {
    const rows = [...new Set(buffers.map((l) => (l.place === 'own' ? `own ${l.name}` : l.place)))];
    const row = (l) => rows.indexOf(l.place === 'own' ? `own ${l.name}` : l.place);
    parts.push(el('h3', {}, `Buffers that grow: ${rows.length}, by step`), chart(m, buffers, (l) => [row(l), 0.9], rows.length, tip));
  }
  if (m.omitted) parts.push(el('p', { class: 'error' }, `${m.omitted} more values are left out.`));
  parts.push(el('h3', {}, 'Places'), table(['place', 'values', 'buffers', 'bytes'], m.places.map((p) => [p.place, String(p.values), String(p.buffers ?? ''), p.bytes ? bytes(p.bytes) : ''])));
  if (m.blocks?.length) parts.push(el('h3', {}, 'Repeated steps'), table(['from', 'steps', 'times'], m.blocks.map((b) => [b.first, String(b.steps), String(b.count)])));
  return parts;
}

// chart draws lives; span gives where one begins on the upward axis and how much it takes.
function chart(m, lives, span, total, tip) {
  const canvas = el('canvas', { class: 'chart', role: 'img', 'aria-label': `${lives.length} values over ${m.steps} steps` });
  const place = (l) => {
    const [from, size] = span(l);
    const w = canvas.clientWidth / (m.steps + 1);
    const h = canvas.clientHeight / Math.max(1, total);
    return [l.from * w, canvas.clientHeight - (from + size) * h, Math.max(1, (l.to - l.from + 1) * w - 0.5), Math.max(1, size * h - 0.5)];
  };
  const draw = () => {
    const ratio = devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    const c = canvas.getContext('2d');
    const t = theme();
    c.scale(ratio, ratio);
    c.fillStyle = t.back;
    c.fillRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    c.font = '11px system-ui, sans-serif';
    lives.forEach((l, i) => {
      const [x, y, w, h] = place(l);
      c.fillStyle = colors[i % colors.length];
      c.fillRect(x, y, w, h);
      if (h < 13 || w < 30) return;
      c.fillStyle = c.fillStyle === okabe.blue ? '#ffffff' : '#000000';
      const whole = c.measureText(l.name).width <= w - 8;
      c.fillText(clip(c, whole ? l.name : l.name.slice(l.name.lastIndexOf('/') + 1), w - 8), x + 4, y + h / 2 + 4);
    });
    if (m.peak.step) {
      c.fillStyle = t.text;
      c.fillRect(((m.peak.step + 0.5) * canvas.clientWidth) / (m.steps + 1), 0, 1, canvas.clientHeight);
    }
  };
  canvas.addEventListener('pointermove', (e) => {
    const l = lives.findLast((one) => { const [x, y, w, h] = place(one); return e.offsetX >= x && e.offsetX <= x + w && e.offsetY >= y && e.offsetY <= y + h; });
    if (l) tip.textContent = `${l.name} ${l.type}: ${l.place}${l.bytes ? `, ${bytes(l.bytes)} at ${l.off}` : ''}, steps ${l.from} to ${l.to}`;
  });
  new ResizeObserver(draw).observe(canvas);
  return canvas;
}
