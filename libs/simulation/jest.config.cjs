module.exports = { displayName: 'simulation', preset: '../../jest.preset.js' };
