export const words = {
  palette: 'Go to',
  hint: 'A command, a page, a flow, or the id of a run',
  results: 'What to do and where to go',
  recent: 'Used last',
  here: 'On this page',
  places: 'Go to',
  flows: 'Flows',
  everywhere: 'Everywhere',
  nothing: 'Nothing is called so.',
  run: (id: string) => `The run ${id}`,
};
