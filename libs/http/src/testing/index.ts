export { LOCAL_SETTINGS, portOf } from './local-app';
