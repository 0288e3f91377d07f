import { COMMERCE_CASES } from './package-cases/commerce-cases';
import { CONTENT_CASES } from './package-cases/content-cases';
import { hostOf, type PackageCase } from './package-cases/package-case';
import { WORK_CASES } from './package-cases/work-cases';

/** Actions of published packages. */
export const PACKAGE_CASES: readonly PackageCase[] = [...COMMERCE_CASES, ...CONTENT_CASES, ...WORK_CASES];

/** The hosts that these packages call. */
export const VENDOR_HOSTS: readonly string[] = [...new Set(PACKAGE_CASES.map(({ call }) => hostOf(call)))];
