import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashLeaf, hashNode } from '../../../packages/node-sdk/src/ledger/merkle.ts';
import { sha256 } from '../../ledger/merkle.ts';
import { growRoot, makePath, makeProof, verifyConsistency, verifyInclusion } from './own-merkle.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

// The test data of the reference implementation of Certificate Transparency, which RFC 6962 describes.
const published = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const publishedRoots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const publishedPaths: readonly [index: number, size: number, hashes: readonly string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];
const publishedProofs: readonly [from: number, to: number, hashes: readonly string[]][] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];

describe('the vectors of Certificate Transparency', () => {
  const leaves = published.map((data) => hashLeaf(sha256, hex(data)));

  test('give the published root of every size', () => {
    for (const [size, root] of publishedRoots.entries())
      assert.equal(growRoot(leaves.slice(0, size)).toString('hex'), root);
  });

  test('give the published audit paths, which verify', () => {
    for (const [index, size, expected] of publishedPaths) {
      const hashes = makePath(index, leaves.slice(0, size));
      assert.deepEqual(
        hashes.map((one) => one.toString('hex')),
        expected,
      );
      const root = hex(publishedRoots[size] as string);
      assert.ok(verifyInclusion({ index, size, leaf: leaves[index] as Buffer, root, hashes }));
    }
  });

  test('give the published consistency proofs, which verify', () => {
    for (const [size, larger, expected] of publishedProofs) {
      const hashes = makeProof(size, leaves.slice(0, larger));
      assert.deepEqual(
        hashes.map((one) => one.toString('hex')),
        expected,
      );
      const from = { size, root: hex(publishedRoots[size] as string) };
      assert.ok(verifyConsistency({ from, to: { size: larger, root: hex(publishedRoots[larger] as string) }, hashes }));
    }
  });

  test('give the published hashes of a leaf and of a node', () => {
    const bytes = (first: number, count: number) => Buffer.from(Array.from({ length: count }, (_, at) => first + at));
    const leaf = '3bfb960453ebaebf33727da7a1f4db38acc051d381b6da20d6d4e88f0eabfd7a';
    const node = '1a378704c17da31e2d05b6d121c2bb2c7d76f6ee6fa8f983e596c2d034963c57';
    assert.equal(hashLeaf(sha256, bytes(0x10, 16)).toString('hex'), leaf);
    assert.equal(hashNode(sha256, bytes(0, 32), bytes(32, 32)).toString('hex'), node);
  });
});
