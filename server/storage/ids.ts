import { randomFillSync } from 'node:crypto';

const random = Buffer.alloc(8 * 512);
let unused = 0;
let lastTime = 0;
let counter = 0;

/**
 * A new identifier: UUIDv7 (RFC 9562 section 5.7) with a 12-bit counter after the time (section 6.2, method 1). Ids of
 * this process sort in the order of their creation, even if the clock goes back.
 */
export function newId(): string {
  const now = Date.now();
  counter += 1;
  if (now > lastTime || counter > 0xfff) {
    lastTime = now > lastTime ? now : lastTime + 1;
    counter = 0;
  }
  const time = lastTime.toString(16).padStart(12, '0');
  const order = counter.toString(16).padStart(3, '0');
  const tail = takeRandom();
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-${tail.slice(0, 4)}-${tail.slice(4)}`;
}

/** 62 random bits after the two variant bits, as 16 hex digits. Fetching many at once from the system is cheaper. */
function takeRandom(): string {
  if (unused === 0) {
    randomFillSync(random);
    unused = random.length;
  }
  unused -= 8;
  random[unused] = ((random[unused] as number) & 0x3f) | 0x80;
  return random.toString('hex', unused, unused + 8);
}
