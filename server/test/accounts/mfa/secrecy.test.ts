import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog, startServer } from '../../../cli/server/start-server.ts';
import { updateRow } from '../../../storage/rows.ts';
import { describeServer } from '../../consent/helpers.ts';
import { assertProblem } from '../../http/problems.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import {
  createEnrolledMember,
  decodeBase32,
  readMfa,
  readSession,
  showCode,
  signIn,
  startEnrolment,
  verify,
} from './authenticator.ts';

describeServer('the secrets of a second factor', (server) => {
  test('are never stored in plain text, neither while an enrolment is pending nor after', async () => {
    const member = await server.createMember();
    const { secret, backupCodes, uri } = await startEnrolment(server, member);
    const bytes = decodeBase32(secret);
    const secrets = [
      secret,
      bytes.toString('hex'),
      bytes.toString('base64url').slice(0, 24),
      uri.href,
      ...backupCodes,
      ...backupCodes.map((one) => one.replaceAll('-', '')),
    ];
    const assertNowhere = async () => {
      const rows = (await readAllRows(server.installation.database)).toLowerCase();
      for (const one of secrets) assert.ok(!rows.includes(one.toLowerCase()), one);
    };
    await assertNowhere();
    assert.equal((await verify(server, member, showCode(server, secret))).status, 200);
    await signIn(server, member, backupCodes[0] as string);
    await assertNowhere();
  });

  test('are shown once', async () => {
    const member = await createEnrolledMember(server);
    const answers = [
      await server.request('GET', '/v1/me/mfa', { headers: member.session }),
      await server.request('GET', '/v1/me', { headers: member.session }),
      await server.request('GET', '/v1/users', {}),
      await server.request('GET', '/v1/audit?limit=200', {}),
    ];
    for (const { status, text, headers } of answers) {
      assert.equal(status, 200, text);
      assert.equal(headers.get('cache-control'), 'no-store');
      for (const one of [member.secret, ...member.backupCodes]) assert.ok(!text.includes(one));
    }
  });

  test('do not come into the log, with passwords, codes and cookies', async () => {
    const lines: string[] = [];
    const settings = { ...server.installation.settings, logLevel: 'debug' as const };
    const log = createLog(settings, { write: (line) => void lines.push(line) });
    await using logged = await startServer({ ...server.installation, settings }, { log });
    const url = `http://127.0.0.1:${logged.port}`;
    const member = await server.createMember();
    const send = async (method: string, path: string, body: object) => {
      const headers = { ...member.session, Origin: url, 'Content-Type': 'application/json' };
      const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
      return { status: response.status, body: await response.json() };
    };
    const enrolled = await send('POST', '/v1/me/mfa/totp/enroll', { password: member.password });
    assert.equal(enrolled.status, 200);
    const { totpURI, backupCodes } = enrolled.body.data;
    const secret = new URL(totpURI).searchParams.get('secret') as string;
    const code = showCode(server, secret);
    await send('POST', '/v1/me/mfa/totp/enroll', { password: 'another wrong password' });
    await send('POST', '/v1/me/mfa/totp/verify', { code: backupCodes[0] });
    // A failure inside of the server is logged too.
    const { kysely } = server.installation.database;
    await updateRow(kysely, 'second_factors', { user_id: member.userId }, { secret: 'damaged' });
    assert.equal((await send('POST', '/v1/me/mfa/totp/verify', { code })).status, 500);
    const text = lines.join('');
    assert.equal(lines.filter((line) => JSON.parse(line).msg === 'request').length, 4);
    assert.match(text, /TOTP secret of .* cannot be opened/);
    const token = member.session.Cookie?.split('=')[1] as string;
    const said = [secret, ...backupCodes, totpURI, member.password, 'another wrong password', token];
    for (const one of [...said, 'damaged', member.email]) assert.ok(!text.includes(one), one);
  });

  test('that cannot be opened are a failure of the server, and backup codes and a fresh enrolment still work', async () => {
    const member = await createEnrolledMember(server);
    const foreign = await createEnrolledMember(server);
    const { kysely } = server.installation.database;
    const { secret } = await kysely
      .selectFrom('second_factors')
      .select('secret')
      .where('user_id', '=', foreign.userId)
      .executeTakeFirstOrThrow();
    // Encrypted for another user.
    await updateRow(kysely, 'second_factors', { user_id: member.userId }, { secret });
    for (let attempt = 0; attempt < 2; attempt += 1)
      assertProblem(await signIn(server, member, showCode(server, foreign.secret)), 'internal_error');
    assert.equal((await signIn(server, member, member.backupCodes[0] as string)).status, 200);
    const { session, password } = member;
    const disabled = await server.request('DELETE', '/v1/me/mfa/totp', { headers: session, body: { password } });
    assert.equal(disabled.status, 200);
    const renewed = { ...member, session: readSession(server, disabled) };
    const again = await startEnrolment(server, renewed);
    assert.equal((await verify(server, renewed, showCode(server, again.secret))).status, 200);
    assert.equal(await readMfa(server, renewed.session), 401);
  });
});
