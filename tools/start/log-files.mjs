/** Where the logs of a local installation are. */
import { join } from 'node:path';

export const logFileOf = (app, dataDir) => join(dataDir, 'logs', `${app}.log`);
