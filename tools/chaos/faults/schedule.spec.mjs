import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { APPS, KINDS_OF_FAULTS, scheduleOf, sentenceOf } from './schedule.mjs';

const everything = new Set(['redis', 'small disk']);
const schedule = (more = {}) => scheduleOf({ seed: 7, faults: 20, webhooks: 10_000, has: everything, ...more });
const kindsOf = (faults) => faults.map(({ kind }) => kind);

describe('the series of faults', () => {
  it('is the same for the same seed, and another for another seed', () => {
    assert.deepEqual(schedule(), schedule());
    assert.notDeepEqual(schedule(), schedule({ seed: 8 }));
  });

  it('has every kind within twenty faults, where everything is possible', () => {
    for (let seed = 0; seed < 50; seed++)
      assert.deepEqual(new Set(kindsOf(schedule({ seed }))), new Set(KINDS_OF_FAULTS), `seed ${seed}`);
  });

  it('begins with the essential kinds', () => {
    const essential = [
      ...['cut-store', 'empty-redis', 'freeze', 'kill', 'restart-postgres', 'rolling-deploy'],
      'shift-clock',
    ];
    for (let seed = 0; seed < 50; seed++)
      assert.deepEqual(kindsOf(schedule({ seed, faults: 7 })).sort(), essential, `seed ${seed}`);
  });

  it('puts the clock of one worker ahead and of the other behind', () => {
    for (const { minutesAhead } of schedule({ faults: 20, kinds: ['shift-clock'] })) {
      assert.equal(minutesAhead['worker-1'], -minutesAhead['worker-2']);
      assert.equal(Object.keys(minutesAhead).length, 3);
    }
  });

  it('leaves out what is not possible', () => {
    const kinds = kindsOf(schedule({ faults: 40, has: new Set() }));

    assert.equal(kinds.length, 40);
    assert.deepEqual(
      kinds.filter((kind) => /redis|disk/.test(kind)),
      [],
    );
    assert.ok(
      schedule({ faults: 40, has: new Set() }).every(({ store, target }) => ![store, target].includes('redis')),
    );
  });

  it('has only the kinds that were asked for, and none when none of them is possible', () => {
    const kinds = ['kill', 'reset'];

    assert.deepEqual(new Set(kindsOf(schedule({ kinds }))), new Set(kinds));
    assert.equal(schedule({ kinds }).length, 20);
    assert.deepEqual(schedule({ kinds: ['kill-redis'], has: new Set() }), []);
  });

  it('is spread over the webhooks, in order', () => {
    const moments = schedule().map(({ afterWebhook }) => afterWebhook);

    assert.deepEqual(
      moments,
      [...moments].sort((one, other) => one - other),
    );
    moments.forEach((moment, index) => {
      assert.ok(moment >= (index + 0.25) * 500 && moment <= (index + 0.75) * 500, `${moment}`);
    });
  });

  it('names the process of each fault that has one, and says in words what happens', () => {
    for (const fault of schedule({ faults: 60 })) {
      if ('target' in fault) assert.ok(fault.target in APPS || fault.target === 'redis', fault.kind);
      for (const name of Object.keys(fault.minutesAhead ?? {})) assert.ok(name in APPS, name);
      assert.doesNotMatch(sentenceOf(fault), /undefined|NaN/);
    }
  });
});
