import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readEnv } from './env.ts'

const AUTH_SECRET = 'a secret of tests, long enough to be taken'

function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-env-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'data')
}

describe('TRUST_PROXY', () => {
  it.each([
    [undefined, false],
    ['off', false],
    ['loopback', 'loopback'],
    ['10.0.0.0/8, 127.0.0.1', '10.0.0.0/8, 127.0.0.1'],
    ['fd00::/8', 'fd00::/8'],
  ])('%s', (TRUST_PROXY, trusted) => {
    expect(readEnv({ AUTH_SECRET, TRUST_PROXY }).trustProxy).toBe(trusted)
  })

  it.each(['on', 'everybody', '10.0.0.0/33', '10.0.0', '127.0.0.1/8/8'])('%s is refused by name', (TRUST_PROXY) => {
    expect(() => readEnv({ AUTH_SECRET, TRUST_PROXY })).toThrow(/^TRUST_PROXY /)
  })
})

describe('AUTH_SECRET', () => {
  it('is made once for a DATA_DIR, readable by its owner only', () => {
    const DATA_DIR = newDataDir()
    const made = readEnv({ DATA_DIR }).authSecret
    expect(made.length).toBeGreaterThanOrEqual(32)
    expect(readEnv({ DATA_DIR }).authSecret).toBe(made)
    expect(statSync(join(DATA_DIR, 'auth-secret')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(DATA_DIR, 'auth-secret'), 'utf8').trim()).toBe(made)
  })

  it('is never an empty one that a crash has left', () => {
    const DATA_DIR = newDataDir()
    readEnv({ DATA_DIR })
    writeFileSync(join(DATA_DIR, 'auth-secret'), '')
    expect(() => readEnv({ DATA_DIR })).toThrow(/does not hold a secret/)
  })

  it('is required in production, and long enough', () => {
    expect(() => readEnv({ NODE_ENV: 'production' })).toThrow('AUTH_SECRET is required')
    expect(() => readEnv({ AUTH_SECRET: 'short' })).toThrow('at least 32 characters')
  })
})
