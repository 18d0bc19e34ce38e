const TIMEOUT = 15_000;
/** The real list has about a million characters. */
const LONGEST = 20_000_000;

/**
 * Fetches a JSON file, with nothing that could distinguish one visitor from another.
 * @throws Error that says what to check.
 */
export async function loadJson(address: string): Promise<unknown> {
  const response = await fetch(address, { credentials: 'omit', signal: AbortSignal.timeout(TIMEOUT) }).catch(
    (cause) => {
      throw new Error(`cannot be reached (${cause}). Check the address, its CORS header and connect-src in your CSP`);
    },
  );
  if (!response.ok) throw new Error(`answered ${response.status}. Check the address`);
  try {
    return JSON.parse(await readBounded(response));
  } catch (cause) {
    throw new Error(`is no JSON that can be used (${cause}). Check the file`);
  }
}

/** What is far too long is not read to its end. */
async function readBounded({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let text = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > LONGEST) {
      await reader?.cancel();
      throw new Error(`it is longer than ${LONGEST} characters`);
    }
  }
}
