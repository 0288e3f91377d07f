export const words = {
  palette: 'Go to',
  hint: 'A page, a flow, or the id of a run',
  results: 'Where to',
  nothing: 'Nothing is called so.',
  run: (id: string) => `The run ${id}`,
};
