// Helpers for the page's elements. Texts are set as text, never as HTML: they are the
// model's.

export const $ = (id) => document.getElementById(id);

// el makes an element: el('td', {class: 'n'}, 'text', child).
export function el(tag, attrs = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs)) {
    if (typeof v === 'function') e.addEventListener(k, v);
    else if (v !== false && v != null) e.setAttribute(k, v === true ? '' : v);
  }
  e.append(...children.flat(Infinity).filter((c) => c != null));
  return e;
}

export function table(head, rows) {
  return el('table', {}, el('thead', {}, el('tr', {}, head.map((h) => el('th', {}, h)))), el('tbody', {}, rows.map((r) => el('tr', {}, r.map((c) => (c instanceof Node && c.tagName === 'TD' ? c : el('td', {}, c)))))));
}

// bytes is an amount of data for people.
export function bytes(n) {
  if (!n) return '0 B';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const k = Math.min(units.length - 1, Math.floor(Math.log2(n) / 10));
  return `${short(n / 2 ** (10 * k))} ${units[k]}`;
}

// amount is a number for people.
export function amount(n) {
  if (Math.abs(n) < 1e4) return short(n);
  const units = ['', 'k', 'M', 'G', 'T', 'P'];
  const k = Math.min(units.length - 1, Math.floor(Math.log10(Math.abs(n)) / 3));
  return `${short(n / 1000 ** k)} ${units[k]}`;
}

export const short = (x) => String(Number(x.toPrecision(4)));

export const plural = (n, what) => `${n} ${what}${n === 1 ? '' : 's'}`;
