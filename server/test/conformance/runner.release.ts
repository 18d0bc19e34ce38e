import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { findDifferences } from '../../../tools/scim/match.ts';
import { isPassed, playSequence } from '../../../tools/scim/play.ts';
import { findSetting } from '../../../tools/scim/prepare.ts';

import { openTarget, type Target } from '../../../tools/scim/target.ts';
import { type ExpectedMember, type Sequence, type Step, sequences } from '../../../tools/scim/transcript.ts';
import { startTestServer, type TestServer } from '../harness.ts';

function findSequence(name: string, setting: string): Sequence {
  const found = sequences.find((sequence) => sequence.name === name && sequence.setting === setting);
  assert.ok(found, `there is no sequence ${name}`);
  return found;
}

/** The sequence with another expected response for its first step that does this. */
function expecting(sequence: Sequence, does: RegExp, answer: Step['answer']): Sequence {
  assert.ok(sequence.steps.some((step) => does.test(step.does)));
  return { ...sequence, steps: sequence.steps.map((step) => (does.test(step.does) ? { ...step, answer } : step)) };
}

describe('the runner of provider sequences', () => {
  let server: TestServer;
  let token: string;
  let target: Target;
  const sequence = findSequence('OneLogin', 'strict');
  before(async () => {
    server = await startTestServer();
    token = await server.createScimToken();
    target = openTarget({ url: server.url, token, key: server.tenant.key });
  });
  after(() => server[Symbol.asyncDispose]());

  it('fails on another status', async () => {
    const report = await playSequence(
      target,
      expecting(sequence, /creates Ana/, () => ({ status: 200 })),
    );
    assert.equal(isPassed(report), false);
    assert.match(report.steps[1]?.differences[0] ?? '', /the status must be 200, not 201/);
  });

  it('fails on another value of a field that the provider reads', async () => {
    const report = await playSequence(
      target,
      expecting(sequence, /creates Ana/, () => ({ status: 201, body: { roles: [{ value: 'dpo' }] } })),
    );
    assert.equal(isPassed(report), false);
    assert.deepEqual(report.steps[1]?.differences, ['body.roles[0].value must be "dpo", not "auditor"']);
    assert.deepEqual(report.outcome, []);
  });

  const wrong: readonly (readonly [string, ExpectedMember, RegExp])[] = [
    ['role', { who: 'Ana', status: 'active', role: 'dpo', isInGroup: true }, /must be in GET \/Groups\/dpo/],
    ['state', { who: 'Ana', status: 'suspended', role: 'auditor', isInGroup: true }, /GET \/v1\/users.*"suspended"/],
    ['place in a group', { who: 'Ana', status: 'active', role: 'auditor', isInGroup: false }, /must not be in GET/],
    ['absence', { who: 'Ana', status: 'deleted' }, /totalResults must be 0, not 1/],
  ];
  for (const [what, member, message] of wrong)
    it(`fails if a member has another ${what} at the end`, async () => {
      const others = sequence.expected.filter(({ who }) => who !== 'Ana');
      const report = await playSequence(target, { ...sequence, expected: [...others, member] });
      assert.equal(isPassed(report), false);
      assert.ok(report.steps.every(({ differences }) => differences.length === 0));
      assert.match(report.outcome.join('\n'), message);
    });

  it('fails if there are members that the sequence does not name', async () => {
    const expected = sequence.expected.filter(({ who }) => who !== 'Ana');
    const report = await playSequence(target, { ...sequence, expected });
    assert.deepEqual(report.outcome, ['GET /Users must show 0 members more than before, not 1']);
  });

  it('fails if a use of the extended setting is not audited', async () => {
    const jumpCloud = findSequence('JumpCloud', 'extended');
    const report = await playSequence(target, { ...jumpCloud, extendedUses: 2 });
    assert.deepEqual(report.outcome, ['the audit log must contain 2 uses of extended, not 1']);
  });

  it('fails if a sequence runs with the other setting', async () => {
    for (const [from, to] of [
      ['strict', 'extended'],
      ['extended', 'strict'],
    ] as const) {
      const report = await playSequence(target, { ...findSequence('Okta, AIW app', from), setting: to });
      assert.equal(isPassed(report), false);
    }
  });

  it('accepts the address of the server as well as the one given to providers', async () => {
    for (const ending of ['', '/', '/scim/v2', '/scim/v2/', '/scim/v2?aadOptscim062020']) {
      const named = openTarget({ url: server.url + ending, token, key: server.tenant.key });
      assert.equal(await findSetting(named), 'strict', ending);
      assert.equal((await named.rest('GET', '/v1/tenant')).scimCompatibility, 'strict', ending);
    }
  });

  it('shows the steps that cannot run because an earlier one failed', async () => {
    const broken: Step = {
      does: 'creates no user',
      request: () => ({ method: 'POST', path: '/Users', body: {} }),
      answer: () => ({ status: 201 }),
      keep: 'Ben',
    };
    const steps = sequence.steps.map((step) => (step.keep === 'Ben' ? broken : step));
    const report = await playSequence(target, { ...sequence, steps });
    assert.match(report.steps.at(-1)?.differences[0] ?? '', /not played: nothing is known of Ben/);
    assert.equal(isPassed(report), false);
  });

  /** Runs the command in a separate process. */
  const run = (...words: readonly string[]) =>
    new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
      const program = join(import.meta.dirname, '../../../tools/scim/main.ts');
      execFile(process.execPath, [program, ...words], (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
      );
    });

  it('shows a table and exits with 0 after a success, repeatedly', async () => {
    for (let time = 0; time < 2; time += 1) {
      const only = ['--only', 'jumpcloud,onelogin'];
      const { code, output } = await run('--url', server.url, '--token', token, '--key', server.tenant.key, ...only);
      assert.equal(code, 0, output);
      assert.match(output, /^JumpCloud +extended +11 +11 +right +passed$/m);
      assert.equal(output.match(/ passed$/gm)?.length, 4);
    }
  });

  it('runs without a key the sequences that match the setting of the tenant', async () => {
    const words = ['--url', server.url, '--token', token, '--only', 'onelogin'];
    const strict = await run(...words);
    assert.match(strict.output, /^OneLogin +strict .*passed$/m);
    assert.match(strict.output, /^OneLogin +extended .*not played$/m);
    await server.request('PATCH', '/v1/tenant', { body: { scimCompatibility: 'extended' } });
    const extended = await run(...words);
    await server.request('PATCH', '/v1/tenant', { body: { scimCompatibility: 'strict' } });
    assert.match(extended.output, /^OneLogin +extended .*passed$/m);
  });

  it('exits with 1 and the reason when it cannot run, and never shows a secret', async () => {
    const refused = await run('--url', server.url, '--token', `${token}x`);
    assert.equal(refused.code, 1);
    assert.match(refused.output, /does not accept the SCIM token/);
    const gone = await startTestServer();
    await gone[Symbol.asyncDispose]();
    const unreachable = await run('--url', gone.url, '--token', token);
    assert.equal(unreachable.code, 1);
    assert.match(unreachable.output, /does not answer: .*ECONNREFUSED/);
    for (const { output } of [refused, unreachable]) assert.ok(!output.includes(token));
  });

  it('exits with 2 and its usage for wrong arguments', async () => {
    for (const words of [['--only', 'unknown'], ['--url', server.url], ['--unknown']]) {
      const { code, output } = await run(...words);
      assert.equal(code, 2, output);
      assert.match(output, /Usage: /);
    }
  });
});

describe('an expected body', () => {
  it('matches itself', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        assert.deepEqual(findDifferences(value as string, structuredClone(value)), []),
      ),
    );
  });

  it('does not match a difference in one place, however deep', () => {
    const place = fc.array(fc.oneof(fc.constant('list'), fc.string()), { maxLength: 5 });
    const bury = (steps: readonly string[], value: unknown): unknown =>
      steps.reduce<unknown>((inner, step) => (step === 'list' ? [inner] : { [`_${step}`]: inner }), value);
    fc.assert(
      fc.property(place, fc.integer(), fc.integer(), (steps, one, other) => {
        fc.pre(one !== other);
        assert.equal(findDifferences(bury(steps, one) as string, bury(steps, other)).length, 1);
      }),
    );
  });

  it('may have more attributes, but not more items', () => {
    assert.deepEqual(findDifferences({ id: '1' }, { id: '1', more: true }), []);
    assert.equal(findDifferences(['1'], ['1', '2']).length, 1);
  });
});
