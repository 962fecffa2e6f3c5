/** A tab of a real browser, with the operations that these tests need. */
export interface Tab {
  /** Resolves when the document has loaded. */
  open(url: string): Promise<void>
  resize(width: number, height: number): Promise<void>
  /** Evaluates an expression in the page. */
  evaluate<Value>(expression: string): Promise<Value>
  /** Clicks the element with this CSS selector, and moves the pointer away. */
  click(selector: string): Promise<void>
  /** Types into the focused element. */
  type(text: string): Promise<void>
  /** Presses a key, optionally with Control. */
  press(key: 'Enter' | 'Escape' | 'k', withControl?: boolean): Promise<void>
  /** Returns the console's errors since the last call, including uncaught errors and CSP violations. */
  takeErrors(): Promise<string[]>
}
