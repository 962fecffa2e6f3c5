import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { watch } from '@x-automated/server/test/opened.ts'
import { vi } from 'vitest'
import { freePort } from '../world.ts'
import type { Tab } from './tab.ts'

const WINDOW = fileURLToPath(new URL('webkit-window.js', import.meta.url))

/** Key codes of the WebDriver standard, section "Keyboard actions". */
const KEYS = { Control: '\uE009', Enter: '\uE007', Escape: '\uE00C', k: 'k' }
/** The key of an element's id, from the same standard. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

const PATIENCE = { timeout: 60_000 }

/** Starts Debian's WebKitGTK on a virtual screen, driven through WebDriver, until the test file ends. */
export async function openWebKit(): Promise<Tab> {
  const home = mkdtempSync(join(tmpdir(), 'x-automated-webkit-'))
  const [inspectorPort, driverPort] = [await freePort(), await freePort()]
  const children: ChildProcess[] = []
  watch({
    check() {},
    async close() {
      for (const child of children.reverse()) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const exit = once(child, 'exit')
        child.kill()
        await exit
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  })

  // The pointer starts at the center of the screen. That is outside of the window, where it opens
  // no tooltip.
  const screen = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '3000x2000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  children.push(screen)
  const [display] = await once(screen.stdio[3] as Readable, 'data')

  const browser = spawn('gjs', ['-m', WINDOW], {
    env: {
      PATH: process.env.PATH,
      HOME: home,
      DISPLAY: `:${String(display).trim()}`,
      GDK_BACKEND: 'x11',
      // There is no graphics card.
      LIBGL_ALWAYS_SOFTWARE: '1',
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      WEBKIT_INSPECTOR_SERVER: `127.0.0.1:${inspectorPort}`,
    },
    // WebKit prints the console on stderr.
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  children.push(browser)
  const lines: string[] = []
  createInterface(browser.stderr).on('line', (line) => lines.push(line))

  const args = [`--port=${driverPort}`, `--target=127.0.0.1:${inspectorPort}`]
  children.push(spawn('WebKitWebDriver', args, { stdio: 'ignore' }))

  const call = async <Value>(method: string, path: string, body?: unknown): Promise<Value> => {
    const response = await fetch(`http://127.0.0.1:${driverPort}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const { value } = (await response.json()) as { value: Value }
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`)
    return value
  }
  // The browser and its driver need a moment to listen.
  const { sessionId } = await vi.waitFor(
    () => call<{ sessionId: string }>('POST', '/session', { capabilities: {} }),
    PATIENCE,
  )
  const post = <Value>(path: string, body: unknown) => call<Value>('POST', `/session/${sessionId}${path}`, body)
  const pressAll = (actions: { type: 'keyDown' | 'keyUp'; value: string }[]) =>
    post<void>('/actions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
  const evaluate = <Value>(expression: string) =>
    post<Value>('/execute/sync', { script: `return (${expression})`, args: [] })
  let marks = 0

  return {
    open: (url) => post('/url', { url }),
    resize: (width, height) => post('/window/rect', { x: 0, y: 0, width, height }),
    evaluate,
    async click(selector) {
      const element = await post<Record<string, string>>('/element', { using: 'css selector', value: selector })
      await post(`/element/${element[ELEMENT]}/click`, {})
      const away = { type: 'pointerMove', duration: 0, x: 0, y: 0 }
      await post('/actions', { actions: [{ type: 'pointer', id: 'mouse', actions: [away] }] })
    },
    type: (text) =>
      pressAll([...text].flatMap((value) => [{ type: 'keyDown', value } as const, { type: 'keyUp', value } as const])),
    press(key, withControl = false) {
      const pressed = [...(withControl ? [KEYS.Control] : []), KEYS[key]]
      return pressAll([
        ...pressed.map((value) => ({ type: 'keyDown', value }) as const),
        ...pressed.reverse().map((value) => ({ type: 'keyUp', value }) as const),
      ])
    },
    async takeErrors() {
      // Once this line has arrived, everything logged before it has, too.
      marks += 1
      const mark = `mark ${marks} of the console`
      await evaluate(`console.log('${mark}')`)
      await vi.waitUntil(() => lines.some((line) => line.includes(mark)), PATIENCE)
      return lines.splice(0).filter((line) => /CONSOLE( \w+)* ERROR/.test(line))
    },
  }
}
