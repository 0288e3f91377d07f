import { InvalidRequestError } from '@millrace/domain';
import {
  ArrayNotEmpty,
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { parse } from 'node:querystring';
import { AsItCame } from './as-it-came.decorator';
import { MayBeAbsent } from './may-be-absent.decorator';
import { foldLists, RequestValidationPipe } from './request-validation.pipe';

class NoteDto {
  @IsString()
  @Length(1, 10)
  text: string;

  @ValidateIf((_, value) => value !== undefined)
  @IsString()
  @IsNotEmpty()
  author?: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(9)
  stars?: number;

  @IsOptional()
  @IsIn(['A', 'B'])
  kind?: string;

  @IsOptional()
  @IsArray()
  @ArrayNotEmpty({ message: 'must not be empty; leave it out to mean all.' })
  @IsIn(['X', 'Y'], { each: true })
  marks?: string[];

  @IsOptional()
  @IsDefined()
  @AsItCame()
  value?: unknown;
}

class NotesQueryDto {
  @IsOptional()
  @IsInt()
  limit?: number;

  @IsOptional()
  @IsString()
  name?: string;

  @IsOptional()
  @IsIn(['X', 'Y'], { each: true })
  marks?: string[];
}

@MayBeAbsent()
class AbsentDto {
  @IsOptional()
  @IsString()
  token?: string | null;
}

describe('RequestValidationPipe', () => {
  const pipe = new RequestValidationPipe();
  const read = (body: string) => pipe.transform(JSON.parse(body), { type: 'body', metatype: NoteDto });
  const readQuery = (query: string) => pipe.transform(parse(query), { type: 'query', metatype: NotesQueryDto });
  const refusal = async (reading: Promise<unknown>): Promise<unknown> => {
    const error = await reading.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidRequestError);
    return { message: (error as InvalidRequestError).message, errors: (error as InvalidRequestError).params['errors'] };
  };

  it('reads an absent body as an empty one where it may be absent', async () => {
    expect(await pipe.transform(undefined, { type: 'body', metatype: AbsentDto })).toEqual({});
    const refused = { errors: [{ path: '', message: 'must be a JSON object.' }] };
    expect(await refusal(pipe.transform(undefined, { type: 'body', metatype: NoteDto }))).toMatchObject(refused);
    for (const wrong of [null, [], 'x'])
      expect(await refusal(pipe.transform(wrong, { type: 'body', metatype: AbsentDto }))).toMatchObject(refused);
  });

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
    ['{"text":"a","author":null}', '/author: must be a string.'],
    ['{"text":"a","author":""}', '/author: should not be empty.'],
    ['{"text":"a","stars":"x"}', '/stars: must be an integer number.'],
    ['{"text":"a","stars":10}', '/stars: must not be greater than 9.'],
    ['{"text":"a","kind":"C"}', '/kind: must be one of the following values: A, B.'],
    ['{"text":"a","marks":"X"}', '/marks: must be an array.'],
    ['{"text":"a","marks":[]}', '/marks: must not be empty; leave it out to mean all.'],
    ['{"text":"a","marks":["X","Z"]}', '/marks: each value must be one of the following values: X, Y.'],
    ['{"text":{"constructor":1}}', '/text: must be a string.'],
    ['{"text":"a","more":1}', '/more: is not a known field.'],
  ])('says of %s the one thing that is wrong', async (body, message) => {
    const [path, sentence] = message.split(': ', 1).concat(message.slice(message.indexOf(': ') + 2));
    expect(await refusal(read(body))).toEqual({ message, errors: [{ path, message: sentence }] });
  });

  it.each([
    ['limit=1&limit=2', '/limit: must be given once; it is not a list.'],
    ['name[]=a', '/name: must be given once; it is not a list.'],
    ['name[a]=a', '/name[a]: is not a known field.'],
    ['limit=x', '/limit: must be an integer number.'],
    ['marks=X&marks=Z', '/marks: each value must be one of the following values: X, Y.'],
  ])('says of the query %s the one thing that is wrong', async (query, message) =>
    expect(await refusal(readQuery(query))).toMatchObject({ message }),
  );
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
