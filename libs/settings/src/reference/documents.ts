export { configurationPage } from './configuration-page';
export { knownSettings } from './known-settings';
