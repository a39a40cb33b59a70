// What of a graph is visible: nodes, and groups that are closed or open.
import { plural } from './dom.js';

// paths gives each group of a graph a text that is the same in all graphs.
export function paths(graph) {
  graph.paths ??= [];
  for (let g = graph.paths.length; g < graph.groups.length; g++) {
    const { parent, name } = graph.groups[g];
    graph.paths.push((parent < 0 ? '' : graph.paths[parent] + '\u0000') + name);
  }
  return graph.paths;
}

// counts are how many nodes of a stage each group has.
function counts(graph, stage) {
  const n = new Int32Array(graph.groups.length);
  for (const k of stage.nodes) for (let g = graph.nodes[k].group; g >= 0; g = graph.groups[g].parent) n[g]++;
  return n;
}

// around lists the groups that a node is in, outermost first. Those of one node are none,
// and so are those that have all the nodes of the group around them.
function around(graph, n, k) {
  const out = [];
  for (let g = graph.nodes[k].group; g >= 0; g = graph.groups[g].parent) if (n[g] > 1) out.unshift(g);
  return out.filter((g, i) => !i || n[g] < n[out[i - 1]]);
}

const roomy = 300; // items that are readable at once

// openAtFirst opens groups, outer and smaller ones first, while there is room.
export function openAtFirst(graph, stage) {
  const n = counts(graph, stage);
  const children = new Map(); // of a group, or -1: groups and the number of nodes
  const of = (g) => children.get(g) ?? children.set(g, { groups: new Set(), nodes: 0 }).get(g);
  for (const k of stage.nodes) {
    const list = around(graph, n, k);
    list.forEach((g, i) => of(i ? list[i - 1] : -1).groups.add(g));
    of(list.at(-1) ?? -1).nodes++;
  }
  const size = (g) => of(g).groups.size + of(g).nodes;
  const open = new Set();
  let items = size(-1);
  let waiting = [...of(-1).groups];
  while (waiting.length) {
    waiting.sort((a, b) => size(a) - size(b));
    const g = waiting.shift();
    if (items + size(g) > roomy) break;
    items += size(g);
    open.add(paths(graph)[g]);
    waiting.push(...of(g).groups);
  }
  return open;
}

// links are who defines and who reads each value.
export function links(graph, stage) {
  if (stage.links) return stage.links;
  const def = new Map();
  const uses = new Map();
  for (const k of stage.nodes) {
    for (const v of graph.nodes[k].out ?? []) if (v >= 0) def.set(v, k);
    for (const v of reads(graph.nodes[k])) if (v >= 0) (uses.get(v) ?? uses.set(v, []).get(v)).push(k);
  }
  return (stage.links = { def, uses });
}

export const reads = (node) => [...(node.in ?? []), ...(node.body ?? [])];

// shortName is an operator as boxes show it. Domains make names long, and the panel has them.
export const shortName = (op) => op.replace(/^ai\.bytesandbrains\.role\.(\w+):/, '$1.').replace(/^.*:/, '');

// width is that of a box with a bold line and a line in smaller letters.
const width = (label, sub) => Math.max(64, Math.min(230, 34 + Math.max(8 * label.length, 6.5 * sub.length)));

// visible is what is drawn: items with the one that each is in, and edges between them.
export function visible(graph, stage, open) {
  const n = counts(graph, stage);
  const items = [];
  const byNode = new Map();
  const byGroup = new Map();
  const group = (g, parent, isOpen) => {
    if (byGroup.has(g)) return byGroup.get(g);
    const { name, of, kind } = graph.groups[g];
    const sub = `${of ? of + ', ' : ''}${plural(n[g], 'node')}`;
    items.push({ kind: isOpen ? 'open' : 'closed', group: g, label: name, sub, flavor: kind, parent, nodes: [], w: width(`+ ${name}`, sub), h: 40 });
    byGroup.set(g, items.length - 1);
    return items.length - 1;
  };
  for (const k of stage.nodes) {
    let parent = -1;
    let inside = -1;
    const list = around(graph, n, k);
    for (const g of list) {
      const isOpen = open.has(paths(graph)[g]);
      const i = group(g, parent, isOpen);
      items[i].nodes.push(k);
      if (!isOpen) { inside = i; break; }
      parent = i;
    }
    if (inside < 0) {
      const { op, name } = graph.nodes[k];
      const text = name.slice(name.lastIndexOf('/') + 1);
      items.push({ kind: 'node', node: k, label: shortName(op), sub: text, parent, nodes: [k], w: width(shortName(op), text), h: 36 });
      inside = items.length - 1;
    }
    byNode.set(k, inside);
  }
  return { items, byNode, byGroup, edges: edges(graph, stage, items, byNode) };
}

// edges lead from item to item; inputs and outputs of the graph become items.
function edges(graph, stage, items, byNode) {
  const { def, uses } = links(graph, stage);
  const seen = new Map();
  const out = [];
  const edge = (a, b, value) => {
    if (a === b) return;
    const key = a * 4194304 + b;
    const at = seen.get(key);
    if (at !== undefined) { out[at].values.push(value); return; }
    seen.set(key, out.length);
    out.push({ a, b, values: [value] });
  };
  for (const [a, b] of messages(graph, stage)) edge(byNode.get(a), byNode.get(b), graph.nodes[a].in[0]);
  const port = (kind, v) => {
    const { name, type } = graph.values[v];
    items.push({ kind, value: v, label: name, sub: type, parent: -1, nodes: [], w: width(name, type), h: 34 });
    return items.length - 1;
  };
  for (const k of stage.nodes) {
    for (const v of reads(graph.nodes[k])) if (def.has(v)) edge(byNode.get(def.get(v)), byNode.get(k), v);
  }
  for (const v of new Set(stage.inputs)) {
    const i = port('input', v);
    for (const k of uses.get(v) ?? []) edge(i, byNode.get(k), v);
  }
  for (const v of new Set(stage.outputs)) {
    const i = port('output', v);
    if (def.has(v)) edge(byNode.get(def.get(v)), i, v);
  }
  return out;
}

// messages are the pairs of nodes between which a value goes from peer to peer.
function messages(graph, stage) {
  if (stage.messages) return stage.messages;
  const attr = (k, name) => graph.nodes[k].attrs?.find(([a]) => a === name)?.[1];
  const wire = (k, op) => graph.nodes[k].op === `ai.bytesandbrains.wire:${op}`;
  const receivers = new Map();
  for (const k of stage.nodes) if (wire(k, 'Recv')) receivers.set(`${JSON.stringify(graph.nodes[k].class)} ${attr(k, 'port')}`, k);
  stage.messages = stage.nodes.filter((k) => wire(k, 'Send') && graph.nodes[k].in?.[0] >= 0).map((k) => [k, receivers.get(`${attr(k, 'to')} ${attr(k, 'port')}`)]).filter(([, to]) => to !== undefined);
  return stage.messages;
}

// signature is what two nodes of one name must have in common to be the same one.
function signature(graph, k) {
  const node = graph.nodes[k];
  node.signature ??= JSON.stringify([node.op, node.attrs ?? [], node.class ?? '', [node.in, node.out].map((list) => (list ?? []).map((v) => (v < 0 ? '' : [graph.values[v].name, graph.values[v].type, graph.values[v].const ?? 0])))]);
  return node.signature;
}

// compare says of each node of stage what has become of it, seen from other.
export function compare(graph, stage, otherGraph, other, what) {
  const names = new Map(other.nodes.map((k) => [otherGraph.nodes[k].name, k]));
  const same = graph === otherGraph ? new Set(other.nodes) : new Set();
  const out = new Map();
  for (const k of stage.nodes) {
    if (same.has(k)) continue;
    const o = names.get(graph.nodes[k].name);
    if (o === undefined) out.set(k, what);
    else if (signature(graph, k) !== signature(otherGraph, o)) out.set(k, 'changed');
  }
  return out;
}

// search finds the nodes in whose operator, name or types all words stand.
export function search(graph, stage, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  return stage.nodes.filter((k) => {
    const node = graph.nodes[k];
    node.text ??= [node.op, node.name, node.class ?? '', ...(node.out ?? []).map((v) => (v < 0 ? '' : graph.values[v].name + ' ' + graph.values[v].type))].join(' ').toLowerCase();
    return words.every((w) => node.text.includes(w));
  });
}
