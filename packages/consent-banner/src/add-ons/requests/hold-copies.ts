import { holdBelow, isRoot, listBelow, listFrom, spendBelow } from './held-below.ts';
import type { HeldForm } from './held-form.ts';
import { replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

/** Holds the tags that come out of a template or another document, before they are in the page. */
export function holdCopies(gate: RequestGate, form: HeldForm): readonly Undo[] {
  const holdCopy = (source: unknown, copy: unknown): void => {
    if (gate.isOpen || !isRoot(source) || !isRoot(copy)) return;
    // A copy of a script that never runs does not run either; one of a waiting script does.
    const [scripts, sources] = [listFrom(copy, 'script'), listFrom(source, 'script')];
    for (const [at, script] of scripts.entries()) if (form.isSpent(sources[at] as Element)) form.spend(script);
    holdBelow(form, copy);
  };
  return [
    replaceMethod(
      Document.prototype,
      'importNode',
      (native) =>
        ({
          importNode(this: Document, ...args: unknown[]) {
            const copy: unknown = native.apply(this, args);
            holdCopy(args[0], copy);
            return copy;
          },
        }).importNode,
    ),
    replaceMethod(
      Node.prototype,
      'cloneNode',
      (native) =>
        ({
          cloneNode(this: Node, ...args: unknown[]) {
            const copy: Node = native.apply(this, args);
            // What the page itself shows is held already.
            if (copy.ownerDocument !== document) holdCopy(this, copy);
            return copy;
          },
        }).cloneNode,
    ),
    replaceMethod(
      DOMParser.prototype,
      'parseFromString',
      (native) =>
        ({
          parseFromString(this: DOMParser, ...args: unknown[]) {
            const parsed: Document = native.apply(this, args);
            const root = Reflect.get(Document.prototype, 'documentElement', parsed) as Element | null;
            if (gate.isOpen || !root) return parsed;
            spendBelow(form, root);
            // The rest is held when it comes into the page. These are compared with those of the page before.
            for (const link of listBelow(root, 'link')) form.holdTag(link);
            return parsed;
          },
        }).parseFromString,
    ),
  ];
}
