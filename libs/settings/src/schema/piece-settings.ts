import type { Settings } from '../value-types/setting';
import { oneOf, wholeNumber } from '../value-types/simple-types';

/** Published packages of pieces: which ones flows may use, and the walls and limits of the processes they run in. */
export const pieceSettings = {
  SVC_PIECE_PACKAGES: {
    type: oneOf('catalogue', 'admin', 'off'),
    meaning:
      'which packages of pieces flows may use: `catalogue` those of the catalogue, which saving a flow installs, and all that are installed; `admin` only what an administrator has installed, and saving a flow installs nothing; `off` none',
    readBy: ['api', 'worker'],
    default: 'catalogue',
  },
  SVC_PIECE_ISOLATION: {
    type: oneOf('auto', 'required', 'basic'),
    meaning:
      "the walls around a package: `auto` takes the strongest that the machine offers, and runs no package that would have the machine's network; with `required` the worker does not start without namespaces for network and processes; with `basic`, packages run even in the machine's network",
    readBy: ['worker'],
    default: 'auto',
  },
  SVC_PIECE_MEMORY_LIMIT: {
    type: wholeNumber(128, 8_192),
    unit: 'MB',
    meaning: 'the most memory of a process that runs a package',
    readBy: ['worker'],
    default: 512,
  },
  SVC_PIECE_TIMEOUT_SECONDS: {
    type: wholeNumber(1, 3_600),
    unit: 's',
    meaning: 'how long one call of a package may take',
    readBy: ['worker'],
    default: 120,
  },
  SVC_PIECE_HOSTS: {
    type: wholeNumber(1, 200),
    unit: 'processes',
    meaning: 'how many processes that run packages one worker may have at once',
    readBy: ['worker'],
    default: 8,
  },
} as const satisfies Settings;
