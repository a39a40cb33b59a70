// The panel beside the graph: what there is to know of a node, a group or a value.
import { links, reads, shortName } from './graph.js';
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
  let work = 0;
  let traffic = 0;
  let time = 0;
  for (const k of item.nodes) {
    const node = graph.nodes[k];
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
    el('h3', {}, 'Operators'), facts_(operators(graph, item.nodes)),
  ];
}

// graphPanel is what is said when nothing is selected.
export function graphPanel({ graph, stage, subject }) {
  const sum = (f) => stage.nodes.reduce((s, k) => s + (graph.nodes[k][f] ?? 0), 0);
  const facts = [['nodes', String(stage.nodes.length)]];
  const open = stage.nodes.some((k) => /[a-z]/i.test(graph.nodes[k].flops ?? '')) ? ' with open sizes taken for 1' : '';
  if (sum('work')) facts.push(['FLOPs', amount(sum('work')) + open], ['bytes', bytes(sum('traffic')) + open]);
  const states = (stage.states ?? []).map((s) => [graph.values[s.from].name, `${s.kind}, ${graph.values[s.from].type}`]);
  const weights = constants(graph, stage);
  if (weights.count) facts.push(['constants', `${weights.count}, ${amount(weights.elements)} elements`]);
  const ports = (list) => facts_([...new Set(list)].slice(0, 50).map((v) => [graph.values[v].name, graph.values[v].type]));
  const parts = [el('h2', {}, `${graph.name} after ${stage.name}`), facts_(facts)];
  if (stage.inputs?.length) parts.push(el('h3', {}, 'Inputs'), ports(stage.inputs));
  if (stage.outputs?.length) parts.push(el('h3', {}, 'Outputs'), ports(stage.outputs));
  if (subject.error) parts.unshift(el('p', { class: 'error' }, subject.error));
  if (stage.truncated) parts.push(el('p', { class: 'error' }, 'There are more nodes than this page takes; the rest is left out.'));
  if (graph.omitted) parts.push(el('p', { class: 'error' }, `There is no room for the stages ${graph.omitted.join(', ')}.`));
  if (states.length) parts.push(el('h3', {}, 'State'), facts_(states.slice(0, 200)));
  parts.push(el('h3', {}, 'Operators'), facts_(operators(graph, stage.nodes)), help());
  return parts;
}

// constants counts the constants that the nodes of a stage read.
function constants(graph, stage) {
  const seen = new Set(stage.nodes.flatMap((k) => reads(graph.nodes[k])).filter((v) => v >= 0 && graph.values[v].const));
  return { count: seen.size, elements: [...seen].reduce((n, v) => n + (graph.values[v].const.elements ?? 0), 0) };
}

// operators counts the nodes of each operator, the most frequent ones first.
function operators(graph, nodes) {
  const count = new Map();
  for (const op of nodes.map((k) => shortName(graph.nodes[k].op))) count.set(op, (count.get(op) ?? 0) + 1);
  return [...count].sort((a, b) => b[1] - a[1]).map(([op, n]) => [op, String(n)]);
}

// help says what a reader can do.
function help() {
  const key = (...names) => names.map((n) => el('kbd', {}, n));
  return el('p', { class: 'dim' }, 'Click a node to see what is in it. Double-click a group to open or close it. ', key('/'), ' searches, arrows go from node to node, ', key('+'), ' ', key('−'), ' zoom, ', key('0'), ' shows all.');
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
