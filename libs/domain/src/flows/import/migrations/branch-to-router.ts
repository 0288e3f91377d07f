import { isJsonObject } from '../../../json/json-reader';
import { withMoved } from './moved-members';
import type { Migration } from './migration';

/**
 * Turns a BRANCH, which has a body for yes and one for no, into a router that takes the first matching branch of two.
 */
export const branchToRouter: Migration = {
  to: 1,
  anyVersion: true,
  migrate(step) {
    if (step['type'] !== 'BRANCH') return step;
    const { onSuccessAction, onFailureAction, settings = {}, ...others } = step;
    if (!isJsonObject(settings)) return { ...others, type: 'ROUTER', settings, children: [] };
    const { conditions, ...otherSettings } = settings;
    const branches = [
      { branchType: 'CONDITION', branchName: 'On Success', conditions },
      { branchType: 'FALLBACK', branchName: 'Otherwise' },
    ];
    const router = {
      ...others,
      type: 'ROUTER',
      settings: { ...otherSettings, executionType: 'EXECUTE_FIRST_MATCH', branches },
      children: [onSuccessAction ?? null, onFailureAction ?? null],
    };
    return withMoved(router, {
      'children/0': 'onSuccessAction',
      'children/1': 'onFailureAction',
      'settings/branches/0/conditions': 'settings/conditions',
    });
  },
};
