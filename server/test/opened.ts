import { afterAll, afterEach } from 'vitest'

/** Something that a test file opened: looked at after each of its tests, closed when the file ends. */
export interface Opened {
  /** Throws where the test that has just ended broke a promise that holds for all tests. */
  check(): void | Promise<void>
  close(): Promise<void>
}

const opened: Opened[] = []

// Vitest takes hooks only while a file is collected, not from within beforeAll: so they stand here, and look over whatever was opened since.
afterEach(async () => {
  for (const one of opened) await one.check()
})
afterAll(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

/** Has it looked at after each test from now on, and closed at the end of the file. */
export function watch(one: Opened): void {
  opened.push(one)
}
