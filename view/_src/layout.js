// Layered layout: nodes below those that they read from, in layers by the longest path,
// ordered by the mean of their neighbors, one open group inside another. Edges have a place in each layer that they
// go through, also in the groups that they leave or enter, so that they pass beside the nodes there.

const gapX = 22;
const gapY = 34;
const pad = 14;
const head = 26; // of an open group
const farthest = 24; // layers that an edge goes through bend by bend; longer ones are straight

// layout places items: {parent, w, h, from, to} are arrays by item and by edge; containers
// stand before what they hold. It returns x, y, w, h of each item, and the points of each edge
// from start[e] to start[e+1], as pairs.
export function layout({ parent, w, h, from, to }) {
  const n = parent.length;
  const depth = new Int32Array(n);
  for (let i = 0; i < n; i++) depth[i] = parent[i] < 0 ? 0 : depth[parent[i]] + 1;
  const inside = new Map([[-1, []]]);
  for (let i = 0; i < n; i++) {
    if (!inside.has(parent[i])) inside.set(parent[i], []);
    inside.get(parent[i]).push(i);
  }
  const levels = byContainer(parent, depth, from, to);
  const out = { x: new Float32Array(n), y: new Float32Array(n), w: Float32Array.from(w), h: Float32Array.from(h) };
  const bends = { out: new Map(), across: new Map(), into: new Map() }; // of an edge: points, relative to their container
  const containers = [...inside.keys()].sort((a, b) => (b < 0 ? -1 : depth[b]) - (a < 0 ? -1 : depth[a]));
  for (const c of containers) {
    const { points, ...box } = layered(inside.get(c), levels.get(c) ?? noEdges(), out, bends);
    if (c >= 0) {
      out.w[c] = Math.max(box.w + 2 * pad, out.w[c]);
      out.h[c] = box.h + 2 * pad + head;
      const left = (out.w[c] - box.w) / 2;
      for (const i of inside.get(c)) { out.x[i] += left; out.y[i] += pad + head; }
      for (const p of points) { p.x += left; p.y += pad + head; p.container = c; }
    } else {
      out.width = box.w;
      out.height = box.h;
    }
  }
  absolute(parent, out);
  return { ...out, ...route(from, to, out, bends) };
}

const noEdges = () => ({ between: [], leaving: [], entering: [] });

// byContainer lists for each container the edges between what is directly in it, as [edge, from, to], and those that
// leave or enter it, as [edge, what is in it].
function byContainer(parent, depth, from, to) {
  const levels = new Map();
  const level = (c) => levels.get(c) ?? levels.set(c, noEdges()).get(c);
  for (let e = 0; e < from.length; e++) {
    let a = from[e];
    let b = to[e];
    const [leaving, entering] = [[], []];
    const leave = () => { leaving.push(a); a = parent[a]; };
    const enter = () => { entering.push(b); b = parent[b]; };
    while (depth[a] > depth[b]) leave();
    while (depth[b] > depth[a]) enter();
    if (a === b) continue;
    while (parent[a] !== parent[b]) { leave(); enter(); }
    for (const i of leaving) level(parent[i]).leaving.push([e, i]);
    for (const i of entering) level(parent[i]).entering.push([e, i]);
    level(parent[a]).between.push([e, a, b]);
  }
  return levels;
}

// layered places the items of one container, from 0,0. It returns its size, and the points at which edges bend.
function layered(list, edges, out, bends) {
  const id = new Map(list.map((v, i) => [v, i]));
  const n = list.length;
  const links = edges.between.map(([e, a, b]) => [e, id.get(a), id.get(b)]);
  const { rank, back } = ranks(n, links);
  const w = list.map((v) => out.w[v]);
  const h = list.map((v) => out.h[v]);
  const up = Array.from({ length: n }, () => []);
  const down = Array.from({ length: n }, () => []);
  const join = (a, b) => { down[a].push(b); up[b].push(a); };
  const points = [];
  const chains = []; // of edges: the map of their bends, the edge, and its place in each layer
  const seen = new Set();
  const place = (r) => { w.push(4); h.push(0); up.push([]); down.push([]); rank.push(r); return w.length - 1; };
  for (const [e, a, b] of links) {
    if (back.has(e)) continue;
    const span = rank[b] - rank[a];
    if (span > farthest) continue;
    if (span === 1) {
      const key = a * 4194304 + b;
      if (!seen.has(key)) { seen.add(key); join(a, b); }
      continue;
    }
    let last = a;
    const chain = [];
    for (let r = rank[a] + 1; r < rank[b]; r++) {
      const d = place(r);
      join(last, d);
      chain.push((last = d));
    }
    join(last, b);
    chains.push([bends.across, e, chain]);
  }
  borders(n, id, edges, rank, place, join, (map, e, chain) => chains.push([map, e, chain]), bends);
  const layers = order(rank, up, down);
  const x = across(layers, w, up, down);
  const y = new Float32Array(w.length);
  let top = 0;
  let right = 0;
  for (const layer of layers) {
    const tall = Math.max(0, ...layer.map((v) => h[v]));
    for (const v of layer) {
      y[v] = top + (tall - h[v]) / 2;
      right = Math.max(right, x[v] + w[v]);
    }
    top += tall + gapY;
  }
  list.forEach((v, i) => { out.x[v] = x[i]; out.y[v] = y[i]; });
  for (const [map, e, chain] of chains) {
    const list = chain.map((d) => ({ x: x[d] + 2, y: y[d], container: -1 }));
    points.push(...list);
    const others = map.get(e) ?? [];
    map.set(e, map === bends.into ? [...list, ...others] : [...others, ...list]); // inner containers come first
  }
  return { w: right, h: Math.max(0, top - gapY), points };
}

// borders gives edges that leave a container a place in each layer below their node, and those that enter it in each
// layer above. Edges of one node share these places.
function borders(n, id, edges, rank, place, join, add, bends) {
  const last = rank.slice(0, n).reduce((most, r) => Math.max(most, r), 0);
  const below = new Map();
  for (const [e, item] of edges.leaving) {
    const i = id.get(item);
    if (last - rank[i] > farthest) continue;
    if (!below.has(i)) {
      const chain = [];
      for (let r = rank[i] + 1, at = i; r <= last; r++, at = chain.at(-1)) { chain.push(place(r)); join(at, chain.at(-1)); }
      below.set(i, chain);
    }
    add(bends.out, e, below.get(i));
  }
  const above = new Map();
  for (const [e, item] of edges.entering) {
    const i = id.get(item);
    if (rank[i] > farthest) continue;
    if (!above.has(i)) {
      const chain = [];
      for (let r = rank[i] - 1, at = i; r >= 0; r--, at = chain[0]) { chain.unshift(place(r)); join(chain[0], at); }
      above.set(i, chain);
    }
    add(bends.into, e, above.get(i));
  }
}

// ranks are the layers of nodes. Edges that close a circle count as none.
function ranks(n, links) {
  const next = Array.from({ length: n }, () => []);
  const missing = new Int32Array(n);
  for (const [e, a, b] of links) { next[a].push([e, b]); missing[b]++; }
  const rank = new Array(n).fill(0);
  const done = new Uint8Array(n);
  const back = new Set();
  const ready = [];
  for (let i = 0; i < n; i++) if (!missing[i]) ready.push(i);
  const sequence = [];
  for (let first = 0; sequence.length < n;) {
    if (!ready.length) {
      while (done[first]) first++;
      ready.push(first); // in a circle: the first in the order in which they run
    }
    const a = ready.pop();
    if (done[a]) continue;
    done[a] = 1;
    sequence.push(a);
    for (const [e, b] of next[a]) {
      if (done[b]) { back.add(e); continue; }
      rank[b] = Math.max(rank[b], rank[a] + 1);
      if (!--missing[b]) ready.push(b);
    }
  }
  for (const a of sequence.reverse()) { // what nothing leads to stands right above who reads it
    if (links.length && !hasInto(a)) rank[a] = Math.max(rank[a], lowest(a) - 1);
  }
  return { rank, back };

  function lowest(a) {
    let least = Infinity;
    for (const [e, b] of next[a]) if (!back.has(e)) least = Math.min(least, rank[b]);
    return least === Infinity ? rank[a] + 1 : least;
  }
  function hasInto(a) {
    hasInto.into ??= links.reduce((into, [, , b]) => { into[b] = 1; return into; }, new Uint8Array(n));
    return hasInto.into[a];
  }
}

// order sorts each layer by the mean place of the neighbors, down and up in turn.
function order(rank, up, down) {
  const layers = [];
  rank.forEach((r, v) => (layers[r] ??= []).push(v));
  for (let r = 0; r < layers.length; r++) layers[r] ??= [];
  const at = new Float64Array(rank.length);
  const number = (layer) => layer.forEach((v, i) => { at[v] = i; });
  layers.forEach(number);
  const sweeps = rank.length > 20000 ? 2 : 6;
  const key = new Float64Array(rank.length);
  for (let s = 0; s < sweeps; s++) {
    const towards = s % 2 ? down : up;
    for (let i = 0; i < layers.length; i++) {
      const layer = layers[s % 2 ? layers.length - 1 - i : i];
      if (layer.length < 2) continue;
      for (const v of layer) {
        let sum = 0;
        for (const o of towards[v]) sum += at[o];
        key[v] = towards[v].length ? sum / towards[v].length : at[v];
      }
      layer.sort((a, b) => key[a] - key[b] || at[a] - at[b]);
      number(layer);
    }
  }
  return layers;
}

// across gives x: as near to the neighbors' middle as the order leaves room for.
function across(layers, w, up, down) {
  const x = new Float64Array(w.length);
  for (const layer of layers) {
    let at = 0;
    for (const v of layer) { x[v] = at; at += w[v] + gapX; }
  }
  const sweeps = w.length > 20000 ? 2 : 4;
  for (let s = 0; s < sweeps; s++) {
    const towards = s % 2 ? down : up;
    for (let i = 0; i < layers.length; i++) settle(layers[s % 2 ? layers.length - 1 - i : i], towards);
  }
  let least = Infinity;
  for (const v of x.keys()) least = Math.min(least, x[v]);
  for (const v of x.keys()) x[v] -= least;
  return x;

  function settle(layer, towards) {
    const want = layer.map((v) => {
      const near = towards[v];
      if (!near.length) return x[v];
      let sum = 0;
      for (const o of near) sum += x[o] + w[o] / 2;
      return sum / near.length - w[v] / 2;
    });
    const right = [];
    layer.forEach((v, i) => { right.push(i ? Math.max(want[i], right[i - 1] + w[layer[i - 1]] + gapX) : want[i]); });
    const left = [];
    for (let i = layer.length - 1; i >= 0; i--) left[i] = i < layer.length - 1 ? Math.min(want[i], left[i + 1] - w[layer[i]] - gapX) : want[i];
    layer.forEach((v, i) => { x[v] = (left[i] + right[i]) / 2; });
  }
}

// absolute adds the places of containers; they stand before what is in them.
function absolute(parent, out) {
  for (let i = 0; i < parent.length; i++) {
    if (parent[i] < 0) continue;
    out.x[i] += out.x[parent[i]];
    out.y[i] += out.y[parent[i]];
  }
}

// route is the points of all edges in one array.
function route(from, to, out, bends) {
  const start = new Int32Array(from.length + 1);
  const points = [];
  for (let e = 0; e < from.length; e++) {
    const a = from[e];
    const b = to[e];
    points.push(out.x[a] + out.w[a] / 2, out.y[a] + out.h[a]);
    for (const map of [bends.out, bends.across, bends.into]) {
      for (const p of map.get(e) ?? []) points.push(p.x + (p.container < 0 ? 0 : out.x[p.container]), p.y + (p.container < 0 ? 0 : out.y[p.container]));
    }
    points.push(out.x[b] + out.w[b] / 2, out.y[b]);
    start[e + 1] = points.length;
  }
  return { start, points: Float32Array.from(points) };
}
