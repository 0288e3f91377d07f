import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { restartDelayMs, SupervisedApp } from './supervised-app.mjs';

/** A fake child process that ends when the test says so. */
class FakeChild extends EventEmitter {
  pid = 4711;
  received = [];

  kill(signal) {
    this.received.push(signal);
    if (signal === 'SIGKILL') this.emit('exit', null, signal);
  }
}

function superviseFakes() {
  const children = [];
  const hopeless = [];
  const restarts = [];
  const app = new SupervisedApp({
    name: 'worker',
    launch: () => children[children.push(new FakeChild()) - 1],
    onHopeless: (error) => hopeless.push(error),
    onRestart: (restart) => restarts.push(restart),
  });
  app.start();
  return { app, children, hopeless, restarts };
}

describe('restartDelayMs', () => {
  it('is nothing the first time, then doubles up to 30 s', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 50].map((lives) => restartDelayMs(lives, 1));

    assert.deepEqual(delays, [0, 250, 500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
  });

  it('stays short for an app that is killed from outside again and again', () => {
    assert.deepEqual(
      [1, 2, 5, 50].map((lives) => restartDelayMs(lives, 'SIGKILL')),
      [0, 250, 2000, 2000],
    );
    assert.equal(restartDelayMs(50, 'SIGABRT'), 30_000);
  });
});

describe('SupervisedApp', () => {
  it('starts an app again that died, at once the first time and later after a wait', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const { children, restarts } = superviseFakes();

    children[0].emit('exit', null, 'SIGKILL');
    test.mock.timers.tick(0);
    assert.equal(children.length, 2);

    children[1].emit('exit', 1, null);
    test.mock.timers.tick(249);
    assert.equal(children.length, 2);
    test.mock.timers.tick(1);
    assert.equal(children.length, 3);
    assert.deepEqual(restarts, [
      { how: 'SIGKILL', inMs: 0 },
      { how: 1, inMs: 250 },
    ]);
  });

  it('forgets short lives after a long one', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    let now = 0;
    test.mock.method(performance, 'now', () => now);
    const { children } = superviseFakes();
    children[0].emit('exit', 1, null);
    test.mock.timers.tick(0);

    now += 5_000;
    children[1].emit('exit', 1, null);
    test.mock.timers.tick(0);

    assert.equal(children.length, 3);
  });

  it('never starts an app again that refuses its settings', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const { children, hopeless } = superviseFakes();

    children[0].emit('exit', 78, null);
    test.mock.timers.tick(60_000);

    assert.equal(children.length, 1);
    assert.match(hopeless[0].message, /worker does not start with these settings/);
  });

  it('asks an app to stop and kills it after 35 s', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const { app, children } = superviseFakes();

    const stopped = app.stop();
    test.mock.timers.tick(34_999);
    assert.deepEqual(children[0].received, ['SIGTERM']);
    test.mock.timers.tick(1);
    await stopped;

    assert.deepEqual(children[0].received, ['SIGTERM', 'SIGKILL']);
    assert.equal(children.length, 1);
  });

  it('stops also while it waits for a restart', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const { app, children } = superviseFakes();
    children[0].emit('exit', 1, null);

    await app.stop();
    test.mock.timers.tick(60_000);

    assert.equal(children.length, 1);
  });
});
