/** The source of a package whose only action says what the expression gives. */
export const saying = (expression: string): string => `
const said = ${expression};
const actions = {
  say: { name: 'say', displayName: 'Say', description: '', requireAuth: false, props: {}, run: async () => ({ said }) },
};
exports.sayer = {
  metadata: () => ({ displayName: 'Sayer', description: '', actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;
