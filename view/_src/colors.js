// Colors that people with any kind of color vision can tell apart: those of Okabe and
// Ito for kinds, one hue from light to dark for amounts.

export const okabe = {
  orange: '#e69f00', sky: '#56b4e9', green: '#009e73', yellow: '#f0e442',
  blue: '#0072b2', vermillion: '#d55e00', purple: '#cc79a7', gray: '#777777',
};

const kinds = [
  [/^(ai\.bbgen:)?(Fused)?(Q?L?inear)?(MatMul|Gemm|Conv|Einsum|FusedAffine)|Attention|MatMul|Conv/, 'products', okabe.sky],
  [/Relu|Gelu|Sigmoid|Tanh|Softmax|Elu|Clip|Silu|Swish|Mish|Erf|Exp|Log|Sqrt|Softplus/i, 'activations', okabe.vermillion],
  [/Norm|BatchN/, 'normalizations', okabe.purple],
  [/Pool|Reduce|Sum$|Mean$|Max$|Min$|Arg/, 'reductions', okabe.green],
  [/Add|Sub|Mul|Div|Pow|Neg|Abs|Where|Equal|Less|Greater|And|Or$|Not/, 'arithmetic', okabe.orange],
  [/Reshape|Transpose|Concat|Slice|Gather|Squeeze|Flatten|Expand|Pad|Split|Cast|Identity|Shape|Tile|Scatter/, 'moves', okabe.gray],
  [/Send|Recv|Peer|Round|Quorum|Bundle|Net/, 'messages', okabe.yellow],
];

const found = new Map();

const others = [/./, 'others', okabe.blue];

// kindColor is the color of an operator.
export function kindColor(op) {
  let c = found.get(op);
  if (!c) found.set(op, (c = kinds.find(([match]) => match.test(op)) ?? others));
  return c[2];
}

// legend lists the kinds of some operators, as names and colors.
export function legend(ops) {
  const seen = new Set([...ops].map(kindColor));
  return [...kinds, others].filter(([, , color]) => seen.has(color)).map(([, name, color]) => [name, color]);
}

// heat is the color of a part from 0 to 1.
export function heat(part, dark) {
  const p = Math.sqrt(Math.max(0, Math.min(1, part)));
  const [from, to] = dark ? [[38, 50, 56], [255, 196, 77]] : [[236, 242, 247], [0, 72, 130]];
  return `rgb(${from.map((a, i) => Math.round(a + (to[i] - a) * p)).join(',')})`;
}

// statuses are what has become of a node, with a sign for those who see no colors.
export const statuses = {
  added: { color: okabe.green, sign: '+' },
  removed: { color: okabe.vermillion, sign: '−' },
  changed: { color: okabe.orange, sign: '~' },
};

export function theme() {
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  return dark
    ? { dark, back: '#14181b', box: '#20272c', text: '#e8edf0', dim: '#9fb0ba', line: '#5c6c76', group: 'rgba(86,180,233,.07)', select: '#f0e442' }
    : { dark, back: '#ffffff', box: '#ffffff', text: '#14181b', dim: '#54626b', line: '#8b9aa3', group: 'rgba(0,114,178,.05)', select: '#0072b2' };
}
