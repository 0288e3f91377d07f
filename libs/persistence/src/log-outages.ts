import { reasonOf, type Say } from '@millrace/domain';
import type { Logger } from '@nestjs/common';

/** Logs the beginning of an outage as a warning with its cause, and its end as a plain line (see Outage). */
export const logOutages =
  (logger: Logger): Say =>
  (message, cause) =>
    cause === undefined ? logger.log(message) : logger.warn(`${message} ${reasonOf(cause)}`);
