import { fingerprintOf, type Definition } from './definition';
import { aTrigger } from './testing/a-flow';

const flow: Definition = { displayName: 'Orders', trigger: aTrigger(), notes: [{ id: 'a', content: 'b' }] };

describe('the fingerprint of a definition', () => {
  it('is the same whatever the service computes, and in whatever order members come', () => {
    const { trigger } = flow;
    const marked = { ...trigger, valid: false, settings: { z: 1, a: 2, sampleData: { inputSavedAt: 'now' } } };
    const plain = { ...trigger, settings: { a: 2, z: 1 } };
    const notes = [{ createdAt: 'now', content: 'b', id: 'a' }];

    expect(fingerprintOf({ ...flow, trigger: marked, notes })).toBe(fingerprintOf({ ...flow, trigger: plain }));
  });

  it.each<[string, Partial<Definition>]>([
    ['name', { displayName: 'Refunds' }],
    ['setting', { trigger: { ...flow.trigger, settings: { deep: [{ a: null }] } } }],
    ['step', { trigger: { ...flow.trigger, nextAction: null } }],
    ['note', { notes: [{ id: 'a', content: 'c' }] }],
  ])('is another after a change of a %s', (_what, change) => {
    expect(fingerprintOf({ ...flow, ...change })).not.toBe(fingerprintOf(flow));
  });
});
