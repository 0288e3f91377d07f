const number = new Intl.NumberFormat('en');

export const words = {
  nothing: '(nothing)',
  sameLines: (count: number) => (count === 1 ? '1 line is the same' : `${number.format(count)} lines are the same`),
  cut: 'The rest is not shown.',
};
