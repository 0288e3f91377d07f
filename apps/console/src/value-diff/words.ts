const number = new Intl.NumberFormat('en');

export const words = {
  nothing: '(nothing)',
  sameLines: (count: number) => `${number.format(count)} ${count === 1 ? 'line' : 'lines'} as before`,
  cut: 'The rest is not shown.',
};
