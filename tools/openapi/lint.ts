import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Results of both linters, as far as they are read. */
interface SpectralResult {
  readonly code: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
}
interface RedoclyProblem {
  readonly ruleId: string;
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

/** Redocly's rules that do not fit. Every other error and warning of both linters is a failure. */
const redoclyRules = {
  // The specification has /v1/consent/{id}/records beside /v1/consent/subjects/{subjectId}; a literal segment wins.
  'no-ambiguous-paths': 'off',
};

/**
 * Lints a document with Spectral (`oas`) and Redocly (`recommended`).
 * @param folder where both are installed.
 * @returns a line for each error and warning.
 */
export async function lintDocument(text: string, folder: string): Promise<readonly string[]> {
  const load = createRequire(join(folder, 'package.json'));
  const { Spectral } = load('@stoplight/spectral-core');
  const { oas } = load('@stoplight/spectral-rulesets');
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'recommended']] });
  const results: readonly SpectralResult[] = await spectral.run(JSON.parse(text));
  const { createConfig, lintFromString } = await import(load.resolve('@redocly/openapi-core'));
  const config = await createConfig({ extends: ['recommended'], rules: redoclyRules });
  const problems: readonly RedoclyProblem[] = await lintFromString({
    source: text,
    absoluteRef: '/openapi.json',
    config,
  });
  return [
    ...results.map(({ code, message, path }) => `Spectral ${code}: ${path.join('.')}: ${message}`),
    ...problems.map(({ ruleId, message, location }) => `Redocly ${ruleId}: ${location[0]?.pointer}: ${message}`),
  ];
}
