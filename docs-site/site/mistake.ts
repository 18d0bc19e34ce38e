/** Something that an author wrote and that cannot be built; the message names the file. */
export class Mistake extends Error {
  override readonly name = 'Mistake';

  constructor(file: string, what: string) {
    super(`${file}: ${what}`);
  }
}
