import { detailWords, targetName } from './audit-names';

const names = new Map([
  ['f1', 'Order intake'],
  ['u1', 'Grace Hopper'],
]);

describe('a line of the audit log', () => {
  it.each([
    ['of a flow, its name', { targetId: 'f1', details: {} }, 'Order intake'],
    ['of a member, the person', { targetId: 'm1', details: { userId: 'u1' } }, 'Grace Hopper'],
    ['of a key that is gone, its name then', { targetId: 'k1', details: { displayName: 'CI' } }, 'CI'],
    ['of a connection that is gone, its id in flows', { targetId: 'c1', details: { externalId: 'shop' } }, 'shop'],
    ['of what is gone, nothing', { targetId: 'f2', details: {} }, undefined],
  ])('names %s', (_, event, name) => expect(targetName(event, names)).toBe(name));

  it('has names in its facts where they are known', () =>
    expect(detailWords({ externalId: 'shop', flowId: 'f1', userId: 'u2', role: null }, names)).toBe(
      'externalId: shop, flow: Order intake, userId: u2',
    ));
});
