import { BuiltInPieces } from '../built-in-pieces';
import { HostUnderTest } from '../testing/a-piece-host';
import { submittedFields } from './form-submission';

const name = { name: 'name', label: 'Your name', type: 'text', required: true };

describe('human_input', () => {
  const subject = new HostUnderTest();
  const waitForInput = (fields: unknown) => subject.run('human_input.wait_for_input', { fields });

  it('waits for a form', async () =>
    expect(
      await waitForInput([
        { ...name, colour: null },
        { name: 'size', type: 'select', options: ['S', 'M'] },
        { ...name, name: 'b' },
      ]),
    ).toMatchObject({
      kind: 'waiting',
      wait: {
        kind: 'human',
        request: {
          kind: 'form',
          fields: [
            name,
            { name: 'size', label: 'size', type: 'select', required: false, options: ['S', 'M'] },
            { ...name, name: 'b' },
          ],
        },
      },
    }));

  it('tells the person the message', async () =>
    expect(
      await subject.wait('human_input.wait_for_input', { fields: [name], message: 'For the order 7.' }),
    ).toMatchObject({ request: { kind: 'form', message: 'For the order 7.' } }));

  it('gives what was filled in', async () =>
    expect(
      await subject.resume('human_input.wait_for_input', {}, { kind: 'human', answer: { name: 'Ann' } }),
    ).toMatchObject({ kind: 'value', output: { name: 'Ann' } }));

  const tooMany = Array.from({ length: 101 }, (_, index) => ({ ...name, name: `field_${index}` }));

  it.each<[unknown[], string[]]>([
    [[], ['The form has no fields.']],
    [tooMany, ['A form has at most 100 fields.']],
    [[name, 5], ['The field 2 of the form is not an object.']],
    [[{ ...name, name: '' }], ['The field 1 of the form has no name.']],
    [[{ ...name, name: 7 }], ['The field 1 of the form has no name.']],
    [[name, name], ['The form has two fields with the name "name".']],
    [[{ ...name, label: 5 }], ['The field "name" of the form has a label that is no text.']],
    [
      [{ ...name, type: 'colour' }],
      ['The field "name" of the form must have one of the types text, number, boolean, date, select.'],
    ],
    [
      [{ ...name, required: 'yes' }],
      ['The field "name" of the form must say by true or false whether it is required.'],
    ],
    [[{ ...name, type: 'select' }], ['The field "name" of the form needs a list of texts to choose from.']],
    [
      [{ ...name, type: 'select', options: [1] }],
      ['The field "name" of the form needs a list of texts to choose from.'],
    ],
    [
      [{ name: '', type: 'x' }],
      [
        'The field 1 of the form has no name.',
        'The field 1 of the form must have one of the types text, number, boolean, date, select.',
      ],
    ],
  ])('refuses the fields %j, in a draft and in a run', async (fields, problems) => {
    const action = new BuiltInPieces().findAction('human_input', '', 'wait_for_input');

    expect(action?.inputProblems({ fields })).toEqual(problems);
    expect(await waitForInput(fields)).toMatchObject({ kind: 'failed', message: problems.join(' ') });
  });

  it('warns of an unknown member in a draft, and fails in a run, where nobody reads warnings', async () => {
    const fields = [
      { ...name, requird: true },
      { ...name, name: 'b', colour: 'red', x: 1 },
    ];
    const action = new BuiltInPieces().findAction('human_input', '', 'wait_for_input');

    expect(action?.inputProblems({ fields })).toEqual([]);
    expect(action?.unknownInputs({ fields })).toEqual(['fields[0].requird', 'fields[1].colour', 'fields[1].x']);
    expect(await waitForInput(fields)).toMatchObject({
      kind: 'failed',
      message:
        'The field "name" of the form has the unknown member requird. The field "b" of the form has the unknown member colour, x.',
    });
  });

  it('lets expressions pass in a draft, and judges what they give in a run', async () => {
    const fields = [
      '{{a}}',
      { name: '{{a}}', type: '{{b}}', required: '{{c}}', options: '{{d}}' },
      { ...name, label: 1 },
    ];
    const action = new BuiltInPieces().findAction('human_input', '', 'wait_for_input');

    expect(action?.inputProblems({ fields })).toEqual(['The field "name" of the form has a label that is no text.']);
    expect(await waitForInput([{ ...name, type: '{{b}}' }])).toMatchObject({ kind: 'failed' });
  });
});

describe('human_input.form_submission', () => {
  const trigger = new BuiltInPieces().findTrigger('human_input', '', 'form_submission');
  const size = { name: 'size', type: 'select', options: ['S', 'M'] };

  it('asks for the fields that its author wrote, also as JSON', () => {
    const asked = [name, { ...size, label: 'size', required: false }];
    expect(trigger?.inputProblems({ fields: [name, size] })).toEqual([]);
    expect(submittedFields({ fields: [name, size] })).toEqual(asked);
    expect(submittedFields({ fields: JSON.stringify([name, size]) })).toEqual(asked);
  });

  it('refuses fields that cannot be shown, expressions among them, because no run resolves them', () => {
    const fields = [
      { ...name, required: '{{a}}' },
      { ...size, type: '{{b}}' },
    ];
    expect(trigger?.inputProblems({ fields })).toEqual(
      expect.arrayContaining([
        'The field "name" of the form must say by true or false whether it is required.',
        'The field "size" of the form must have one of the types text, number, boolean, date, select.',
      ]),
    );
    expect([submittedFields({ fields }), submittedFields({}), submittedFields(null)]).toEqual([null, null, null]);
  });

  it('warns of an unknown member, and asks for the field without it', () => {
    const fields = [{ ...name, requird: true }];
    expect(trigger?.inputProblems({ fields })).toEqual([]);
    expect(trigger?.unknownInputs({ fields })).toEqual(['fields[0].requird']);
    expect(submittedFields({ fields })).toEqual([name]);
  });
});
