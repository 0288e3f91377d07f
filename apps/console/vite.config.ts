import react from '@vitejs/plugin-react';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Where `nx serve console` finds the api: that of `nx serve api`, or of `npm start`. */
const API = process.env['MILLRACE_URL'] ?? 'http://127.0.0.1:3001';
/** Rarely changed by a release of ours, so that it stays in the cache of browsers. */
const VIEW =
  /[\\/]node_modules[\\/](react|react-dom|react-router|scheduler|@tanstack[\\/](react-query|query-core))[\\/]/;
/**
 * Small parts that most pages share. Each in a file of its own would be compressed worse, and asked for one by one.
 * Dialogs, which are heavy, come with the first one that is opened.
 */
const SHARED = /[\\/]src[\\/](controls[\\/](?![^\\/]*dialog)|run-status[\\/])|[\\/]node_modules[\\/]get-nonce[\\/]/;
/** Smaller files are hardly smaller when they are compressed. */
const WORTH_COMPRESSING_BYTES = 1_000;

/** Writes each asset compressed as well, because the api does not compress. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir = '' }) {
    const folder = join(dir, 'assets');
    for (const name of readdirSync(folder)) {
      const content = readFileSync(join(folder, name));
      if (content.length < WORTH_COMPRESSING_BYTES) continue;
      const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
      writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }));
      writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
    }
  },
};

/** The part of our libraries that is made for browsers. */
const DOMAIN = fileURLToPath(new URL('../../libs/domain/src/browser.ts', import.meta.url));

const chunkOf = (id: string): string | undefined => (VIEW.test(id) ? 'view' : SHARED.test(id) ? 'shared' : undefined);

export default defineConfig({
  plugins: [react(), compressed],
  resolve: { alias: { '@millrace/domain/browser': DOMAIN } },
  build: {
    target: 'es2023',
    outDir: '../../dist/apps/console',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0, // the content security policy allows no inlined scripts
    rollupOptions: { output: { manualChunks: chunkOf } },
  },
  server: {
    // The api compares the origin of a request that comes with the session's cookie.
    proxy: { '/api': { target: API, changeOrigin: true, ws: true, headers: { origin: API } } },
  },
});
