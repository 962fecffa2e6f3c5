import { watch } from '@x-automated/server/test/opened.ts'
import { launch } from 'puppeteer-core'
import type { Tab } from './tab.ts'

/** Starts Debian's Firefox, driven through WebDriver BiDi, until the test file ends. */
export async function openFirefox(): Promise<Tab> {
  const browser = await launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: true,
    extraPrefsFirefox: { 'ui.prefersReducedMotion': 1 },
  })
  watch({ check() {}, close: () => browser.close() })
  const page = await browser.newPage()
  page.setDefaultTimeout(120_000)
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error instanceof Error ? error.message : String(error)))
  return {
    async open(url) {
      await page.goto(url)
    },
    resize: (width, height) => page.setViewport({ width, height }),
    evaluate: <Value>(expression: string) => page.evaluate(expression) as Promise<Value>,
    async click(selector) {
      await page.click(selector)
      await page.mouse.move(0, 0)
    },
    type: (text) => page.keyboard.type(text),
    async press(key, withControl = false) {
      if (withControl) await page.keyboard.down('Control')
      await page.keyboard.press(key)
      if (withControl) await page.keyboard.up('Control')
    },
    takeErrors: async () => problems.splice(0),
  }
}
