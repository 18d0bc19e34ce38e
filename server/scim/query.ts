import { z } from 'zod';

/**
 * The query of an operation. Parameters that are not ours change nothing, as providers add some of their own; one of ours
 * in another case is refused, because it was meant: `Filter` would give everybody.
 */
export function queryOf<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
  const spellings = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]));
  const query = z.looseObject(shape).superRefine((given, context) => {
    for (const name of Object.keys(given)) {
      const spelling = spellings.get(name.toLowerCase());
      if (spelling !== undefined && spelling !== name)
        context.addIssue({ code: 'custom', path: [name], message: `must be written ${spelling}` });
    }
  });
  return query as unknown as z.ZodObject<Shape>;
}
