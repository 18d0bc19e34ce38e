// What a page may have changed before our code runs, and the rules that follow for all code of the widgets:
//
// - Methods on `Object.prototype`, enumerable ones as well (Prototype.js, MooTools, hand-written `extend`): no `for…in`, no `in`.
//   Ask with `Object.entries`, `Object.keys` or `Object.hasOwn` what an object has; a grant is `=== true`. A descriptor has no
//   prototype, because an inherited `get` makes it invalid.
// - `toJSON` on `Date`, `Array` or `Object`: JSON is written with `ownValue`.
// - `toISOString` in another format: times are compared by their value, not by their text.
// - Elements whose names hide members of `document`: methods are called on it through the prototype or the window.

/** A replacer for `JSON.stringify`, which undoes each `toJSON`: the holder still has the value. */
export function ownValue(this: object, key: string): unknown {
  return (this as Readonly<Record<string, unknown>>)[key];
}
