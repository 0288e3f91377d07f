import { FlowVersionInvalidError, type TriggerSecret } from '@millrace/domain';
import { aFlowVersion, builtInTrigger, codeStep } from '@millrace/domain/testing';
import { BuiltInPieces } from '@millrace/pieces';
import type { PiecesInFlows } from '../pieces/pieces-in-flows';
import type { CodeCompiler } from './code-compiler';
import { VersionChecker } from './version-checker';

const compiler = {
  problemsOf: ({ code }: { code: string }) => Promise.resolve(code === 'broken' ? ['Line 1, column 1: Broken.'] : []),
};
const known = () => Promise.resolve();
const noPackages = { know: known, knowMissing: known, knowInstalled: known } as unknown as PiecesInFlows;
const checker = new VersionChecker(new BuiltInPieces(), compiler as unknown as CodeCompiler, noPackages);

const broken = codeStep('broken', {}, 'broken');
const fine = codeStep('fine', { later: '{{broken.x}}' });

describe('VersionChecker', () => {
  it('says of an expression that is none where it goes wrong, in a sentence', async () => {
    const { problems } = await checker.check({
      projectId: 'project_1',
      version: aFlowVersion([codeStep('sum', { n: '{{ a + }}' })]),
    });
    expect(problems).toContainEqual({
      stepName: 'sum',
      severity: 'error',
      message: 'The expression {{ a + }} cannot be read: Unexpected token at line 1, column 5.',
    });
  });

  it('publishes no version whose packages were removed since its check', async () => {
    const message = 'The package x 1.0.0 was removed meanwhile.';
    const keep = ({ name }: { name: string }) => Promise.resolve([{ stepName: name, message }]);
    const packages = { ...noPackages, keep } as unknown as PiecesInFlows;
    const keeping = new VersionChecker(new BuiltInPieces(), compiler as unknown as CodeCompiler, packages);
    const nothing = { keepPackages: () => Promise.resolve([]) };

    await expect(keeping.keepPackages(aFlowVersion(), nothing)).rejects.toMatchObject({
      code: 'FLOW_VERSION_INVALID',
      message: `The flow cannot be published: step trigger: ${message}`,
    });
  });

  describe('checkHiding', () => {
    const withSecrets = (authType: string, authFields: unknown) => {
      const trigger = builtInTrigger('webhook', 'catch_webhook');
      return aFlowVersion([], {
        trigger: { ...trigger, settings: { ...trigger.settings, input: { authType, authFields } } },
      });
    };
    const knownSecrets = () => Promise.resolve(new Set<string>());
    const hiding = (authType: string, authFields: unknown, made: TriggerSecret[] = []) =>
      checker.checkHiding(aFlowVersion(), { knownSecrets }, made)(withSecrets(authType, authFields));

    it.each<[string, unknown, string]>([
      ['standard_webhooks', { secrets: ['whsec_bm8=', 'whsec_!!!'] }, 'authFields.secrets[1] must be base64'],
      ['github', { secrets: [' '] }, 'authFields.secrets[0] is empty'],
      ['header', { headerName: 'x', headerValue: 'a\nb' }, '(authFields.headerValue) must be one line'],
    ])('refuses a secret of %s that can only fail, which nobody could see later', async (type, fields, problem) => {
      await expect(hiding(type, fields)).rejects.toMatchObject({
        code: 'FLOW_OPERATION_INVALID',
        message: expect.stringContaining(problem) as string,
      });
    });

    it.each<[string, unknown]>([
      ['github', { secrets: ['s'] }],
      ['basic', { username: 'ada', password: 5 }],
      ['github', '{"secret":"s"}'],
    ])('hides a secret of %s that is good', async (type, fields) => {
      const made: TriggerSecret[] = [];
      expect(await hiding(type, fields, made)).toMatchObject({ version: { valid: true }, problems: [] });
      expect(made).toHaveLength(1);
    });
  });

  describe('assertTestable', () => {
    const refusalOf = (version: ReturnType<typeof aFlowVersion>, concerns?: (of: { stepName: string }) => boolean) =>
      checker.assertTestable({ projectId: 'project_1', version }, 'It cannot be tested', concerns).then(
        () => null,
        (error: unknown) => error,
      );

    it('lets a version with warnings pass', async () => {
      expect(await refusalOf(aFlowVersion([fine]))).toBeNull();
    });

    it('refuses a version with errors, and names only these', async () => {
      const refusal = await refusalOf(aFlowVersion([fine, broken]));
      expect(refusal).toBeInstanceOf(FlowVersionInvalidError);
      expect(refusal).toMatchObject({
        message: 'It cannot be tested: step broken: Line 1, column 1: Broken.',
        params: { problems: [{ stepName: 'broken', message: 'Line 1, column 1: Broken.' }] },
      });
    });

    it('heeds only the problems it is asked about', async () => {
      expect(await refusalOf(aFlowVersion([fine, broken]), ({ stepName }) => stepName === 'fine')).toBeNull();
      expect(await refusalOf(aFlowVersion([fine, broken]), ({ stepName }) => stepName === 'broken')).not.toBeNull();
    });
  });
});
