import { reportProblem } from '../../page/browser.ts';
import { type FieldValues, type WrittenSection, writeGppString } from './encode.ts';

type Callback = (data: unknown, isSuccess: boolean) => void;

/** `__gpp`: https://github.com/InteractiveAdvertisingBureau/Global-Privacy-Platform/blob/main/Core/CMP%20API%20Specification.md */
export type Gpp = (command: unknown, callback?: unknown, parameter?: unknown, version?: unknown) => void;

/** State that can change. */
export interface GppState {
  readonly cmpStatus: 'loading' | 'loaded';
  readonly cmpDisplayStatus: 'hidden' | 'visible';
  readonly signalStatus: 'not ready' | 'ready';
  /** The ids of the sections in force; -1 for none. */
  readonly applicableSections: readonly number[];
  readonly sections: readonly WrittenSection[];
}

interface GppApiOptions {
  /** The number that IAB assigned to the operator of the consent platform; 0 without one. */
  readonly cmpId: number;
  readonly initial: GppState;
  /** Listeners that the page's stub has accepted and numbered before. */
  readonly listeners: ReadonlyMap<number, Callback>;
}

interface GppApi {
  readonly call: Gpp;
  /**
   * Takes over a state and notifies the listeners of changes, in the order of the specification: not ready, the changes,
   * ready.
   * @param isDecision whether the visitor chose: then every section is sent, including unchanged ones.
   */
  update(next: GppState, isDecision: boolean): void;
}

/** The commands of the API, and its listeners. A callback that throws does not stop the others. */
export function createGppApi({ cmpId, initial, listeners: before }: GppApiOptions): GppApi {
  const listeners = new Map(before);
  let lastId = Math.max(0, ...listeners.keys());
  let state = initial;

  const find = (name: unknown): WrittenSection | undefined => state.sections.find((one) => one.name === name);

  function ping(): object {
    const { sections, applicableSections, ...statuses } = state;
    return {
      gppVersion: '1.1',
      ...statuses,
      supportedAPIs: sections.map(({ id, name }) => `${id}:${name}`),
      cmpId,
      sectionList: sections.map(({ id }) => id),
      applicableSections: [...applicableSections],
      gppString: writeGppString(sections),
      parsedSections: Object.fromEntries(sections.map(({ name, subSections }) => [name, copy(subSections)])),
    };
  }

  function emit(eventName: string, data: unknown): void {
    for (const [listenerId, listener] of [...listeners]) {
      if (listeners.has(listenerId)) answer(listener, { eventName, listenerId, data, pingData: ping() }, true);
    }
  }

  function addListener(callback: Callback): void {
    listeners.set(++lastId, callback);
    const event = { eventName: 'listenerRegistered', listenerId: lastId, data: true, pingData: ping() };
    answer(callback, event, true);
  }

  const commands: Readonly<Record<string, (callback: Callback, parameter: unknown) => void>> = {
    ping: (callback) => answer(callback, ping(), true),
    addEventListener: addListener,
    removeEventListener: (callback, id) => answer(callback, listeners.delete(id as number), true),
    hasSection: (callback, name) => answer(callback, find(name) !== undefined, true),
    getSection: (callback, name) => answerFound(callback, find(name)?.subSections),
    getField: (callback, path) => answerFound(callback, findField(path)),
  };

  function findField(path: unknown): unknown {
    const [name, field = ''] = String(path).split('.');
    return find(name)?.subSections.find((values) => Object.hasOwn(values, field))?.[field];
  }

  function call(command: unknown, callback?: unknown, parameter?: unknown): void {
    const respond = (typeof callback === 'function' ? callback : () => {}) as Callback;
    if (typeof command === 'string' && Object.hasOwn(commands, command)) commands[command]?.(respond, parameter);
    else answer(respond, null, false);
  }

  function change(part: Partial<GppState>): void {
    for (const [name, value] of Object.entries(part)) {
      if (state[name as keyof GppState] === value) continue;
      state = { ...state, [name]: value };
      emit(name, value);
    }
  }

  function update(next: GppState, isDecision: boolean): void {
    const { cmpStatus, cmpDisplayStatus, signalStatus, applicableSections, sections } = next;
    const changed = sections.filter(({ name, text }) => isDecision || find(name)?.text !== text);
    if (changed.length > 0 || signalStatus === 'not ready') change({ signalStatus: 'not ready' });
    change({ cmpStatus });
    change({ cmpDisplayStatus });
    state = { ...state, applicableSections, sections };
    for (const { name } of changed) emit('sectionChange', name);
    change({ signalStatus });
  }

  return { call, update };
}

/** Each gets its own copy, so that none can change what the next one reads. */
function copy(data: readonly FieldValues[]): unknown {
  return structuredClone(data);
}

function answerFound(callback: Callback, found: unknown): void {
  if (found === undefined) answer(callback, null, false);
  else answer(callback, structuredClone(found), true);
}

function answer(callback: Callback, data: unknown, isSuccess: boolean): void {
  try {
    callback(data, isSuccess);
  } catch (cause) {
    reportProblem(`a callback of __gpp threw (${cause}).`);
  }
}
