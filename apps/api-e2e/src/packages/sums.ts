/** A private piece: an action that adds up, and one that tells its secret. */
export const SUMS = `
const text = (displayName) => ({ type: 'SHORT_TEXT', displayName, required: true });
const actions = {
  add: {
    name: 'add', displayName: 'Add', description: 'Adds up.', requireAuth: false,
    props: { one: { type: 'NUMBER', displayName: 'One', required: true }, other: { type: 'NUMBER', displayName: 'Other', required: true } },
    run: async ({ propsValue: { one, other } }) => { console.log('adding'); return { sum: one + other }; },
  },
  tell: {
    name: 'tell', displayName: 'Tell', description: '', requireAuth: true, props: { how: text('How') },
    run: async ({ auth, propsValue: { how } }) => {
      const said = 'The key is ' + auth.secret_text;
      if (how === 'prints') { console.log(said); return said; }
      throw new Error(said);
    },
  },
};
exports.sums = {
  metadata: () => ({
    displayName: 'Sums', description: 'For tests.', categories: ['PRODUCTIVITY'], actions, triggers: {},
    auth: { type: 'SECRET_TEXT', displayName: 'Key', required: true },
  }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;
