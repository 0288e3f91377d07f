import { writeFileSync } from 'node:fs';
import { usePostgres } from './embedded-postgres.mjs';
const pg = await usePostgres({ folder: '/tmp/helpers/pg', durable: false });
writeFileSync('/tmp/helpers/pg-url', pg.url);
setInterval(() => {}, 1e6);
process.on('SIGTERM', async () => { await pg.stop(); process.exit(0); });
