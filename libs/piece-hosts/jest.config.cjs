module.exports = { displayName: 'piece-hosts', preset: '../../jest.preset.js' };
