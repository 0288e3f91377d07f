module.exports = { displayName: 'runner', preset: '../../jest.preset.js' };
