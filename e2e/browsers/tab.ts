/** A tab of a real browser, with what the tests of this folder need. */
export interface Tab {
  /** Returns when the document has loaded. */
  open(url: string): Promise<void>
  resize(width: number, height: number): Promise<void>
  /** Evaluates an expression in the page. */
  evaluate<Value>(expression: string): Promise<Value>
  /** Clicks the element with this CSS selector, and moves the pointer away. */
  click(selector: string): Promise<void>
  /** Types into the focused element. */
  type(text: string): Promise<void>
  /** Presses a key, if given with Control. */
  press(key: 'Enter' | 'Escape' | 'k', withControl?: boolean): Promise<void>
  /** Returns the console's errors since the last call: uncaught errors and CSP violations too. */
  takeErrors(): Promise<string[]>
}
