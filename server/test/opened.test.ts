import { beforeAll, describe, expect, it } from 'vitest'
import { openApp, type TestApp } from './open-app.ts'
import { watch } from './opened.ts'

let app: TestApp
let checks = 0
beforeAll(async () => {
  app = await openApp()
  watch({
    check() {
      checks += 1
    },
    close: async () => {},
  })
})

describe('the test harness', () => {
  it('checks what was opened in beforeAll', () => {})

  it('checks after each test', () => expect(checks).toBe(1))

  it('fails on a server fault that no test expected', () => {
    app.services.log.error({ err: new Error('a fault') })
    expect(() => app.check()).toThrow('a fault')
    app.expectFault(/announced/)
    app.services.log.error({ err: new Error('an announced one') })
    expect(() => app.check()).not.toThrow()
  })
})
