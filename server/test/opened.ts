import { afterAll, afterEach } from 'vitest'

/** A resource opened by a test file: checked after each test, closed when the file ends. */
export interface Opened {
  /** Throws if the last test broke a rule that applies to all tests. */
  check(): void | Promise<void>
  close(): Promise<void>
}

const opened: Opened[] = []

/** Registers the hooks of a test file. Run by setup.ts, because Vitest accepts hooks only during collection. */
export function checkAndCloseOpened(): void {
  afterEach(async () => {
    for (const resource of opened) await resource.check()
  })
  afterAll(async () => {
    for (const resource of opened.splice(0).reverse()) await resource.close()
  })
}

/** Checks the resource after each test from now on, and closes it at the end of the file. */
export function watch(resource: Opened): void {
  opened.push(resource)
}
