import { FlowVersionInvalidError } from '@millrace/domain';
import { aFlowVersion, codeStep } from '@millrace/domain/testing';
import { BuiltInPieces } from '@millrace/pieces';
import type { CodeCompiler } from './code-compiler';
import { VersionChecker } from './version-checker';

const compiler = {
  problemsOf: ({ code }: { code: string }) => Promise.resolve(code === 'broken' ? ['Line 1, column 1: Broken.'] : []),
};
const checker = new VersionChecker(new BuiltInPieces(), compiler as unknown as CodeCompiler);

const broken = codeStep('broken', {}, 'broken');
const fine = codeStep('fine', { later: '{{broken.x}}' });

describe('VersionChecker', () => {
  it('says of an expression that is none where it goes wrong, in a sentence', async () => {
    const { problems } = await checker.check(aFlowVersion([codeStep('sum', { n: '{{ a + }}' })]));
    expect(problems).toContainEqual({
      stepName: 'sum',
      severity: 'error',
      message: 'The expression {{ a + }} cannot be read: Unexpected token at line 1, column 5.',
    });
  });

  describe('assertTestable', () => {
    const refusalOf = (version: ReturnType<typeof aFlowVersion>, concerns?: (of: { stepName: string }) => boolean) =>
      checker.assertTestable(version, 'It cannot be tested', concerns).then(
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
