import type { HeldForm } from './held-form.ts';
import { replaceMethod, type Undo } from './replace-member.ts';
import { takeAttribute, WATCHED } from './take-attribute.ts';

const XLINK = 'http://www.w3.org/1999/xlink';

/** Holds the addresses that scripts set as attributes, and follows those that they remove. */
export function holdAttributes(form: HeldForm): readonly Undo[] {
  const { removeAttribute } = Element.prototype;

  /** Whether the removal of an attribute ends here. */
  const isDropped = (tag: unknown, name: string): boolean => {
    if (!(tag instanceof Element)) return false;
    if (name === 'type') return form.takeType(tag, null);
    form.drop(tag, name);
    return false;
  };

  const holdNode = (name: 'setAttributeNode' | 'setAttributeNodeNS'): Undo =>
    replaceMethod(
      Element.prototype,
      name,
      (native) =>
        ({
          setAttributeNode(this: Element, ...args: unknown[]) {
            const node = args[0];
            const isTaken =
              node instanceof Attr &&
              WATCHED.test(node.name) &&
              takeAttribute(form, this, node.name.toLowerCase(), node.value);
            return isTaken ? null : native.apply(this, args);
          },
        }).setAttributeNode,
    );

  return [
    replaceMethod(
      Element.prototype,
      'setAttribute',
      (native) =>
        ({
          setAttribute(this: Element, name: unknown, value: unknown) {
            // Nearly every call ends here.
            if (value === undefined || typeof name !== 'string' || !WATCHED.test(name)) {
              // biome-ignore lint/complexity/noArguments: a list of the rest would be made for every call.
              return native.apply(this, arguments as unknown as unknown[]);
            }
            return takeAttribute(form, this, name.toLowerCase(), value) ? undefined : native.call(this, name, value);
          },
        }).setAttribute,
    ),
    replaceMethod(
      Element.prototype,
      'setAttributeNS',
      (native) =>
        ({
          setAttributeNS(this: Element, ...args: unknown[]) {
            const [space, name, value] = args;
            const local = space === XLINK ? `xlink:${String(name).replace(/^.*:/s, '')}` : space ? '' : String(name);
            const isTaken = args.length > 2 && WATCHED.test(local) && takeAttribute(form, this, local, value);
            return isTaken ? undefined : native.apply(this, args);
          },
        }).setAttributeNS,
    ),
    replaceMethod(
      Element.prototype,
      'removeAttribute',
      (native) =>
        ({
          removeAttribute(this: Element, name: unknown) {
            if (typeof name === 'string' && WATCHED.test(name) && isDropped(this, name.toLowerCase())) return;
            // biome-ignore lint/complexity/noArguments: as above.
            return native.apply(this, arguments as unknown as unknown[]);
          },
        }).removeAttribute,
    ),
    replaceMethod(
      Element.prototype,
      'toggleAttribute',
      (native) =>
        ({
          toggleAttribute(this: Element, ...args: unknown[]) {
            const name = String(args[0]).toLowerCase();
            // What waits is there to the page, though the browser does not have it.
            const isOff = !args[1] && WATCHED.test(name) && this instanceof Element && form.has(this);
            if (!isOff) return native.apply(this, args);
            if (!isDropped(this, name)) removeAttribute.call(this, name);
            return false;
          },
        }).toggleAttribute,
    ),
    holdNode('setAttributeNode'),
    holdNode('setAttributeNodeNS'),
  ];
}
