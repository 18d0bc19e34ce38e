import { attempt } from '../../stub/attempt.ts';
import { addressNames, type HeldForm, readAttribute } from './held-form.ts';
import { readBaseUri } from './read-host.ts';
import { replaceAccessors, replaceMethod, type Undo } from './replace-member.ts';

const INTERFACES: Readonly<Record<string, string>> = {
  HTMLScriptElement: 'src',
  HTMLIFrameElement: 'src',
  HTMLImageElement: 'src srcset',
  HTMLLinkElement: 'href',
  HTMLMediaElement: 'src',
  HTMLVideoElement: 'poster',
  HTMLSourceElement: 'src srcset',
  HTMLEmbedElement: 'src',
  HTMLTrackElement: 'src',
  HTMLInputElement: 'src',
};
const WATCHED = /^(?:src|srcset|href|poster|type)$/i;

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
        if (form.isWaitingScript(this)) this.setAttribute('data-type', String(value));
        else set.call(this, value);
      },
    })),
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
            return isTaken(form, this, name.toLowerCase(), value) ? undefined : native.call(this, name, value);
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
            const isPlain = args.length > 2 && (space === null || space === '') && WATCHED.test(String(name));
            return isPlain && isTaken(form, this, String(name), value) ? undefined : native.apply(this, args);
          },
        }).setAttributeNS,
    ),
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

function holdProperty(form: HeldForm, prototype: object | undefined, name: string): Undo {
  return replaceAccessors(prototype, name, (get, set) => ({
    get(this: Element) {
      const value = get.call(this);
      return value === '' && form.has(this) ? readHeld(this, name) : value;
    },
    set(this: Element, value: unknown) {
      if (!isTaken(form, this, name, value)) set.call(this, value);
    },
  }));
}

/** What the browser is not to have. Whatever goes wrong here goes wrong in the native member, too. */
function isTaken(form: HeldForm, tag: Element, name: string, value: unknown): boolean {
  if (name === 'type') {
    if (!form.isWaitingScript(tag)) return false;
    tag.setAttribute('data-type', String(value));
    return true;
  }
  if (!(tag instanceof Element) || !addressNames[tag.localName]?.includes(name)) return false;
  return attempt(() => form.take(tag, name, String(value))) ?? false;
}

/** What was set, as the property would tell it. */
function readHeld(tag: Element, name: string): string {
  const value = readAttribute(tag, `data-${name}`) ?? '';
  return name === 'srcset' || !value ? value : (attempt(() => new URL(value, readBaseUri()).href) ?? value);
}
