// The panel beside the graph: what there is to know of a node, a group or a value.
import { links, reads } from './graph.js';
import { amount, bytes, el, short, table } from './dom.js';

// nodePanel says all of a node. go is called with the node that a link leads to.
export function nodePanel({ graph, stage, subject, status }, k, go) {
  const node = graph.nodes[k];
  const { def, uses } = links(graph, stage);
  const facts = [['operator', node.op]];
  if (status) facts.push(['since the other stage', status]);
  if (node.class) facts.push(['peer class', node.class]);
  if (node.pos) facts.push(['written at', node.pos]);
  if (node.flops) facts.push(['FLOPs', node.flops === String(node.work) ? amount(node.work) : node.flops]);
  if (node.bytes) facts.push(['bytes', node.bytes === String(node.traffic) ? bytes(node.traffic) : node.bytes]);
  const time = subject.profile?.byName?.get(node.name);
  if (time) facts.push(['time', `${short(time.us)} µs, ${short(time.share * 100)} % (${time.call})`], ['speed', `${short(time.gflops)} GFLOP/s, ${short(time.gbs)} GB/s, bound by ${time.bound || 'nothing'}`]);
  const value = (v, how) => (v < 0 ? el('li', { class: 'dim' }, 'left out') : valueItem(graph, v, how(v), go));
  const from = (v) => (def.has(v) ? [def.get(v)] : []);
  const parts = [el('h2', {}, node.name || node.op), facts_(facts)];
  if (node.attrs?.length) parts.push(el('h3', {}, 'Attributes'), facts_(node.attrs));
  parts.push(el('h3', {}, 'Inputs'), el('ul', {}, reads(node).map((v) => value(v, from))));
  parts.push(el('h3', {}, 'Outputs'), el('ul', {}, (node.out ?? []).map((v) => value(v, (w) => uses.get(w) ?? []))));
  const code = stage === graph.stages.at(-1) && subject.code?.[node.name];
  if (code) parts.push(el('h3', {}, 'Generated Go'), el('pre', {}, code));
  return parts;

  function valueItem(g, v, others, to) {
    const { name, type, const: c } = g.values[v];
    return el('li', {}, el('code', {}, name), ' ', el('span', { class: 'dim' }, type), c ? constant(c) : null, others.slice(0, 20).map((o) => el('button', { class: 'link', click: () => to(o) }, `→ ${g.nodes[o].name || g.nodes[o].op}`)));
  }
}

// valuePanel is for inputs and outputs of the graph.
export function valuePanel({ graph }, item) {
  const { name, type } = graph.values[item.value];
  return [el('h2', {}, name), facts_([['is', `${item.kind} of the graph`], ['type', type]])];
}

// groupPanel adds up what is in a group.
export function groupPanel({ graph, subject }, item, toggle) {
  const ops = new Map();
  let work = 0;
  let traffic = 0;
  let time = 0;
  for (const k of item.nodes) {
    const node = graph.nodes[k];
    ops.set(node.op, (ops.get(node.op) ?? 0) + 1);
    work += node.work ?? 0;
    traffic += node.traffic ?? 0;
    time += subject.profile?.byName?.get(node.name)?.us ?? 0;
  }
  const facts = [['nodes', String(item.nodes.length)]];
  if (work) facts.push(['FLOPs', amount(work)], ['bytes', bytes(traffic)]);
  if (time) facts.push(['time', `${short(time)} µs`]);
  const group = graph.groups[item.group];
  if (group.of) facts.unshift([group.kind, group.of]);
  return [
    el('h2', {}, item.label), facts_(facts),
    el('button', { click: toggle }, item.kind === 'open' ? 'Close the group' : 'Open the group'),
    el('h3', {}, 'Operators'), facts_([...ops].sort((a, b) => b[1] - a[1]).map(([op, n]) => [op, String(n)])),
  ];
}

// graphPanel is what is said when nothing is selected.
export function graphPanel({ graph, stage, subject }) {
  const sum = (f) => stage.nodes.reduce((s, k) => s + (graph.nodes[k][f] ?? 0), 0);
  const facts = [['nodes', String(stage.nodes.length)]];
  const open = stage.nodes.some((k) => /[a-z]/i.test(graph.nodes[k].flops ?? '')) ? ' with open sizes taken for 1' : '';
  if (sum('work')) facts.push(['FLOPs', amount(sum('work')) + open], ['bytes', bytes(sum('traffic')) + open]);
  const states = (stage.states ?? []).map((s) => [graph.values[s.from].name, `${s.kind}, ${graph.values[s.from].type}`]);
  const parts = [el('h2', {}, `${graph.name} after ${stage.name}`), facts_(facts)];
  if (subject.error) parts.unshift(el('p', { class: 'error' }, subject.error));
  if (stage.truncated) parts.push(el('p', { class: 'error' }, 'There are more nodes than this page takes; the rest is left out.'));
  if (graph.omitted) parts.push(el('p', { class: 'error' }, `There is no room for the stages ${graph.omitted.join(', ')}.`));
  if (states.length) parts.push(el('h3', {}, 'State'), facts_(states.slice(0, 200)));
  return parts;
}

function facts_(list) {
  return el('dl', {}, list.map(([k, v]) => [el('dt', {}, k), el('dd', {}, v)]));
}

// constant shows what is in one.
function constant(c) {
  const out = [];
  if (c.text) out.push(el('code', { class: 'block' }, c.text));
  if (c.stats) {
    const s = c.stats;
    const zeros = s.zeros ? `, ${amount(s.zeros)} zeros` : '';
    const odd = s.not_finite ? `, ${amount(s.not_finite)} not finite` : '';
    out.push(el('div', { class: 'dim' }, `${amount(c.elements)} elements from ${short(s.min)} to ${short(s.max)}, mean ${short(s.mean)}${zeros}${odd}`));
    if (s.histogram) out.push(histogram(s));
  }
  return el('div', { class: 'constant' }, out);
}

const svg = (tag, attrs, ...children) => {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attrs)) e.setAttribute(k, v);
  e.append(...children);
  return e;
};

function histogram(s) {
  const most = Math.max(...s.histogram);
  const n = s.histogram.length;
  const bars = s.histogram.map((x, i) => svg('rect', { x: i * 8, width: 7, y: 48 - (48 * x) / most, height: (48 * x) / most }));
  return svg('svg', { class: 'histogram', viewBox: `0 0 ${n * 8} 48`, role: 'img', 'aria-label': `histogram of ${n} parts from ${short(s.min)} to ${short(s.max)}` }, ...bars);
}

export { svg, table };
