/**
 * A proof loads this file into each app before it starts. A message `{ clock: <milliseconds> }` of its parent puts the
 * clock of JavaScript forward or back by so much, and is answered with what the clock says then. Timers and the clock
 * of the machine stay as they are.
 */
const { isMainThread } = require('node:worker_threads');

if (isMainThread && process.channel) {
  const RealDate = Date;
  let offsetMs = 0;

  class ShiftedDate extends RealDate {
    constructor(...given) {
      if (given.length === 0) super(RealDate.now() + offsetMs);
      else super(.../** @type {[]} */ (given));
    }

    /** @override */
    static now() {
      return RealDate.now() + offsetMs;
    }
  }

  process.on('message', (/** @type {any} */ message) => {
    if (typeof message?.clock !== 'number') return;
    offsetMs = message.clock;
    global.Date = offsetMs === 0 ? RealDate : /** @type {any} */ (ShiftedDate);
    process.send?.({ clockSays: Date.now() });
  });
  process.channel.unref(); // a listener would keep the process alive
}
