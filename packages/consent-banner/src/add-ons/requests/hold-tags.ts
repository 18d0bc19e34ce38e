import { attempt } from '../../stub/attempt.ts';
import type { HeldForm } from './held-form.ts';
import { holdAttributes } from './hold-attributes.ts';
import { readBaseUri } from './read-host.ts';
import { replaceAccessors, replaceMethod, type Undo } from './replace-member.ts';
import { readAttribute } from './tag-addresses.ts';
import { takeAttribute } from './take-attribute.ts';

const INTERFACES: Readonly<Record<string, string>> = {
  HTMLScriptElement: 'src',
  HTMLIFrameElement: 'src',
  HTMLImageElement: 'src srcset',
  HTMLLinkElement: 'href imageSrcset rel',
  HTMLMediaElement: 'src',
  HTMLVideoElement: 'poster',
  HTMLSourceElement: 'src srcset',
  HTMLEmbedElement: 'src',
  HTMLTrackElement: 'src',
  HTMLInputElement: 'src',
};

/** Holds the addresses that scripts set on tags, by a property or an attribute. The tag becomes one that the banner holds back. */
export function holdTags(form: HeldForm): readonly Undo[] {
  return [
    ...Object.entries(INTERFACES).flatMap(([owner, names]) =>
      names.split(' ').map((name) => holdProperty(form, Reflect.get(window, owner)?.prototype, name)),
    ),
    replaceAccessors(HTMLScriptElement.prototype, 'type', (get, set) => ({
      get(this: Element) {
        return form.isWaitingScript(this) ? (readAttribute(this, 'data-type') ?? '') : get.call(this);
      },
      set(this: Element, value: unknown) {
        if (!takeAttribute(form, this, 'type', value)) set.call(this, value);
      },
    })),
    ...holdAttributes(form),
    replaceMethod(window, 'Audio', (native) => {
      const Audio = new Proxy(native, {
        construct(target, args, newTarget) {
          const audio = Reflect.construct(target, [], newTarget) as HTMLAudioElement;
          if (args[0] === undefined) return audio;
          audio.preload = 'auto';
          audio.src = args[0];
          return audio;
        },
      });
      return Audio;
    }),
  ];
}

function holdProperty(form: HeldForm, prototype: object | undefined, property: string): Undo {
  const name = property.toLowerCase();
  return replaceAccessors(prototype, property, (get, set) => ({
    get(this: Element) {
      const value = get.call(this);
      return value === '' && form.has(this) ? readHeld(this, name) : value;
    },
    set(this: Element, value: unknown) {
      if (!takeAttribute(form, this, name, value)) set.call(this, value);
    },
  }));
}

/** What was set, as the property would return it. */
function readHeld(tag: Element, name: string): string {
  const value = readAttribute(tag, `data-${name}`) ?? '';
  return name.endsWith('srcset') || !value ? value : (attempt(() => new URL(value, readBaseUri()).href) ?? value);
}
