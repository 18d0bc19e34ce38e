import { holdBelow, isRoot } from './held-below.ts';
import type { HeldForm } from './held-form.ts';
import { replaceAccessors, replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

const METHODS =
  'appendChild insertBefore replaceChild append prepend replaceChildren before after replaceWith insertAdjacentElement adoptNode';

/**
 * Holds tags that are put into the page with their address, as they come out of a template, of a parser, or of a part of the page
 * that was kept. Those of another document are held wherever they go, for an image loads when it is adopted.
 */
export function holdInsertion(gate: RequestGate, form: HeldForm): readonly Undo[] {
  const hold = (node: unknown, isInPage = true): void => {
    const isComing =
      isRoot(node) && (node.ownerDocument !== document || (isInPage && !node.isConnected)) && !gate.isOpen;
    if (isComing) holdBelow(form, node);
  };
  return [
    ...[Node, Element, CharacterData, Document, DocumentFragment].flatMap(({ prototype }) =>
      METHODS.split(' ').map((name) =>
        replaceMethod(
          prototype,
          name,
          (native) =>
            ({
              put(this: Partial<Node> | undefined, ...args: unknown[]) {
                const isInPage = this?.isConnected !== false;
                for (const node of args) hold(node, isInPage);
                return native.apply(this, args);
              },
            }).put,
        ),
      ),
    ),
    replaceAccessors(Document.prototype, 'body', (_, set) => ({
      set(this: Document, body: unknown) {
        hold(body);
        set.call(this, body);
      },
    })),
  ];
}
