import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsIn,
  IsInt,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { describeValidationRules } from './validation-rules';

class NoteDto {
  @IsString()
  @Length(1, 10)
  @Matches(/\S/u)
  text: string;

  @IsInt()
  @Min(1)
  @Max(9)
  stars: number;

  @IsIn(['A', 'B'])
  kind: string;

  @ApiPropertyOptional({ description: 'The marks.' })
  @ArrayNotEmpty()
  @ArrayMaxSize(5)
  @IsIn(['X', 'Y'], { each: true })
  marks: string[];
}

const descriptionOf = (member: string): unknown =>
  Reflect.getMetadata('swagger/apiModelProperties', NoteDto.prototype, member);

describe('describeValidationRules', () => {
  it('describes a member by the rules that its parser checks', () => {
    describeValidationRules();
    expect(descriptionOf('text')).toMatchObject({ minLength: 1, maxLength: 10, pattern: '\\S' });
    expect(descriptionOf('stars')).toMatchObject({ type: 'integer', minimum: 1, maximum: 9 });
    expect(descriptionOf('kind')).toMatchObject({ type: 'string', enum: ['A', 'B'] });
    expect(descriptionOf('marks')).toMatchObject({
      ...{ type: 'array', minItems: 1, maxItems: 5, items: { enum: ['X', 'Y'] } },
      ...{ description: 'The marks.', required: false },
    });
  });

  it('does not say whether a member is required: its type does', () => {
    describeValidationRules();
    expect(descriptionOf('text')).not.toHaveProperty('required');
  });

  it('refuses a rule that it cannot describe', () => {
    const validator = { validate: () => true, defaultMessage: () => 'must be odd.' };
    class OddDto {
      @ValidateBy({ name: 'isOdd', validator })
      number: number;
    }
    expect(() => describeValidationRules()).toThrow(`the rule isOdd of ${'number' satisfies keyof OddDto}`);
  });
});
