import { anId, webhookTrigger } from '../testing';
import type { FlowTrigger } from './flow-version';
import { hideSecrets, referredSecrets, redactSecrets } from './trigger-secrets';

const PATHS = [
  ['authFields', 'secrets'],
  ['authFields', 'password'],
] as const;
const MARK = '**REDACTED**';
const [ONE, TWO] = [anId(), anId()];

const trigger = (authFields: unknown) => webhookTrigger([], { authType: 'hmac', authFields });
const fieldsOf = ({ settings }: FlowTrigger): unknown => (settings['input'] as Record<string, unknown>)['authFields'];

function hide(authFields: unknown, previous: unknown = {}, known: readonly string[] = []) {
  let ids = 0;
  const newId = () => `00000000-0000-7000-8000-00000000000${++ids}`;
  const about = { previous: trigger(previous), ids: new Set(known) };
  const { trigger: hidden, made } = hideSecrets(trigger(authFields), PATHS, about, newId);
  return { fields: fieldsOf(hidden), made };
}

describe('hideSecrets', () => {
  it('replaces each secret by a reference, and leaves what is no secret', () => {
    const { fields, made } = hide({ secrets: ['first', 'second'], headerName: 'x-signature', password: 'third' });

    expect(fields).toEqual({
      secrets: [`${MARK}:${made[0]?.id}`, `${MARK}:${made[1]?.id}`],
      headerName: 'x-signature',
      password: `${MARK}:${made[2]?.id}`,
    });
    expect(made.map(({ value }) => value)).toEqual(['first', 'second', 'third']);
  });

  it('keeps the references that the flow knows, in any order', () => {
    const sentBack = { secrets: [`${MARK}:${TWO}`, 'new', `${MARK}:${ONE}`] };

    const { fields, made } = hide(sentBack, {}, [ONE, TWO]);

    expect(fields).toEqual({ secrets: [`${MARK}:${TWO}`, `${MARK}:${made[0]?.id}`, `${MARK}:${ONE}`] });
    expect(made).toMatchObject([{ value: 'new' }]);
  });

  it('forgets a reference to a secret of another flow', () =>
    expect(hide({ secrets: [`${MARK}:${ONE}`] }, {}, [])).toEqual({ fields: { secrets: [MARK] }, made: [] }));

  it('takes the bare mark for the secret that was at its place', () => {
    const before = { secrets: [`${MARK}:${ONE}`, `${MARK}:${TWO}`] };

    expect(hide({ secrets: [MARK, MARK], password: MARK }, before, [ONE, TWO]).fields).toEqual({
      ...before,
      password: MARK,
    });
  });

  it.each([
    ['a number', { password: 12345 }, '12345'],
    ['a list where text belongs', { password: [['deep']] }, 'deep'],
    ['an object where a list belongs', { secrets: { a: 'x' } }, 'x'],
    ['JSON as text', '{"password":"typed"}', 'typed'],
    ['text where the object belongs', 'typed', 'typed'],
  ])('hides %s', (_, written, secret) => {
    const { fields, made } = hide(written);

    expect(made.map(({ value }) => value)).toContain(secret);
    expect(JSON.stringify(fields)).not.toContain(secret);
  });

  it('does not follow JSON text without limit', () => {
    const { fields } = hide(`{"password":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);

    expect(fields).toMatch(/^\*\*REDACTED\*\*:/);
  });

  it.each([[{ password: "{{ connections['a'] }}" }], [{ password: '' }], [{ secrets: [] }], [{}], [null], [undefined]])(
    'leaves a trigger with %j as it is',
    (written) => {
      const before = trigger(written);
      const about = { previous: before, ids: new Set<string>() };

      expect(hideSecrets(before, PATHS, about, anId)).toEqual({ trigger: before, made: [] });
    },
  );

  it('leaves an empty trigger as it is', () => {
    const empty = { ...trigger({}), type: 'EMPTY', settings: {} } as const;

    expect(hideSecrets(empty, PATHS, { previous: empty, ids: new Set() }, anId).trigger).toBe(empty);
  });
});

it('redactSecrets leaves neither secrets nor references, but the names of connections', () => {
  const written = { secrets: ['clear', `${MARK}:${ONE}`, "{{ connections['a'] }}"], headerName: 'x' };

  expect(fieldsOf(redactSecrets(trigger(written), PATHS))).toEqual({
    secrets: [MARK, MARK, "{{ connections['a'] }}"],
    headerName: 'x',
  });
});

it('referredSecrets finds references only where they are the whole text', () =>
  expect([...referredSecrets({ a: [`${MARK}:${ONE}`], b: `see ${MARK}:${TWO}`, c: MARK })]).toEqual([ONE]));
