// Builds ../assets from the sources here: npm ci && npm run build. The result is
// committed, so that building bbgen needs no node; sources.sha256 is the hash that a
// test of package view compares with the sources.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const options = { bundle: true, minify: true, write: false, target: 'es2022', charset: 'utf8', legalComments: 'none' };
const text = async (entry, more = {}) => (await build({ ...options, entryPoints: [entry], ...more })).outputFiles[0].text;

const worker = await text('worker.js', { format: 'iife' });
const inline = {
  name: 'worker',
  setup(b) {
    b.onResolve({ filter: /^worker:/ }, () => ({ path: 'worker', namespace: 'worker' }));
    b.onLoad({ filter: /./, namespace: 'worker' }, () => ({ contents: worker, loader: 'text' }));
  },
};
mkdirSync('../assets', { recursive: true });
writeFileSync('../assets/view.js', await text('main.js', { format: 'iife', plugins: [inline] }));
writeFileSync('../assets/view.css', await text('view.css'));

const hash = createHash('sha256');
for (const name of readdirSync('.').filter((n) => /\.(js|css|mjs|json)$/.test(n)).sort()) {
  hash.update(`${name}\n`).update(readFileSync(name)).update('\n');
}
writeFileSync('../assets/sources.sha256', `${hash.digest('hex')}\n`);
