/** The fractional parts of the square or cube roots of the first primes, 32 bits each (FIPS 180-4 sections 4.2.2, 5.3.3). */
function listConstants(count: number, exponent: number): Uint32Array {
  const constants = new Uint32Array(count);
  for (let candidate = 2, found = 0; found < count; candidate += 1) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) if (candidate % divisor === 0) isPrime = false;
    if (!isPrime) continue;
    const root = candidate ** exponent;
    constants[found] = (root - Math.floor(root)) * 2 ** 32;
    found += 1;
  }
  return constants;
}

const roundConstants = listConstants(64, 1 / 3);
const initialState = listConstants(8, 1 / 2);

/** SHA-256 (FIPS 180-4), for platforms without a synchronous one. */
export function sha256(data: Uint8Array | string): Uint8Array {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const state = initialState.slice();
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) addBlock(state, words, view, block);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setUint32(4 * index, word);
  return new Uint8Array(digest.buffer);
}

/** The loop of section 6.2.2. */
function addBlock(state: Uint32Array, words: Uint32Array, view: DataView, block: number): void {
  for (let index = 0; index < 16; index += 1) words[index] = view.getUint32(block + 4 * index);
  for (let index = 16; index < 64; index += 1) {
    const [early, late] = [words[index - 15] as number, words[index - 2] as number];
    const small = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const large = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = (words[index - 16] as number) + small + (words[index - 7] as number) + large;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let index = 0; index < 64; index += 1) {
    const choice = (e & f) ^ (~e & g);
    const first =
      (h +
        (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
        choice +
        (roundConstants[index] as number) +
        (words[index] as number)) |
      0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] as number) + word;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
