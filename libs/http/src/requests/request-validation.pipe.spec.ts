import { InvalidRequestError } from '@millrace/domain';
import { IsDefined, IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { AsItCame } from './as-it-came.decorator';
import { foldLists, RequestValidationPipe } from './request-validation.pipe';

class NoteDto {
  @IsString()
  @Length(1, 10)
  text: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(9)
  stars?: number;

  @IsOptional()
  @IsIn(['A', 'B'])
  kind?: string;

  @IsOptional()
  @IsDefined()
  @AsItCame()
  value?: unknown;
}

describe('RequestValidationPipe', () => {
  const pipe = new RequestValidationPipe();
  const read = (body: string) => pipe.transform(JSON.parse(body), { type: 'body', metatype: NoteDto });
  const refusal = async (body: string): Promise<unknown> => {
    const error = await read(body).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidRequestError);
    return { message: (error as InvalidRequestError).message, errors: (error as InvalidRequestError).params['errors'] };
  };

  it('keeps every member of a value of the author’s, whatever its name', async () => {
    const value = '{"constructor":1,"__proto__":{"a":1},"in":[{"constructor":{"prototype":2},"__proto__":3}]}';
    const note = (await read(`{"text":"a","value":${value}}`)) as NoteDto;
    expect(JSON.stringify(note.value)).toBe(value);
    expect(Object.getPrototypeOf(note.value)).toBe(Object.prototype);
  });

  it.each([
    ['{}', '/text: is required.'],
    ['{"text":1}', '/text: must be a string.'],
    ['{"text":null}', '/text: must be a string.'],
    ['{"text":""}', '/text: must be longer than or equal to 1 characters.'],
    ['{"text":"a","stars":"x"}', '/stars: must be an integer number.'],
    ['{"text":"a","stars":10}', '/stars: must not be greater than 9.'],
    ['{"text":"a","kind":"C"}', '/kind: must be one of the following values: A, B.'],
    ['{"text":{"constructor":1}}', '/text: must be a string.'],
    ['{"text":"a","more":1}', '/more: is not a known field.'],
  ])('says of %s the one thing that is wrong', async (body, message) => {
    const [path, sentence] = message.split(': ', 1).concat(message.slice(message.indexOf(': ') + 2));
    expect(await refusal(body)).toEqual({ message, errors: [{ path, message: sentence }] });
  });
});

describe('foldLists', () => {
  it.each([
    [{ status: 'A' }, { status: 'A' }],
    [{ status: ['A', 'B'] }, { status: ['A', 'B'] }],
    [{ 'status[]': ['A', 'B'] }, { status: ['A', 'B'] }],
    [{ 'status[]': 'A' }, { status: ['A'] }],
    [{ 'status[0]': 'A', 'status[1]': 'B' }, { status: ['A', 'B'] }],
    [{ status: 'A', 'status[]': 'B' }, { status: ['A', 'B'] }],
    [{ 'status[a]': 'A' }, { 'status[a]': 'A' }],
    [{ status: 'A,B' }, { status: 'A,B' }],
  ])('reads %j as %j', (query, folded) => expect({ ...foldLists(query) }).toEqual(folded));
});
