import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPictureCache } from './picture-cache.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pictures-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const KB = 1024
const filesIn = async (folder: string) => (await readdir(folder)).map((name) => join(folder, name))

it('returns what was stored, also to another process on the same folder', async () => {
  await createPictureCache(root).write('a', Buffer.from('picture'))
  const other = createPictureCache(root)
  expect((await other.read('a'))?.toString()).toBe('picture')
  expect(await other.read('b')).toBeNull()
})

it('deletes the least recently used files first, and never exceeds its size', async () => {
  const cache = createPictureCache(root, { maxBytes: 400 * KB, folders: 1 })
  for (const name of ['read', 'unread']) await cache.write(name, Buffer.alloc(40 * KB))
  for (const file of await filesIn(join(root, '0'))) await utimes(file, 1_000, 1_000)
  await cache.read('read')
  for (let n = 0; n < 8; n++) {
    await cache.write(`new ${n}`, Buffer.alloc(30 * KB))
    const sizes = await Promise.all((await filesIn(join(root, '0'))).map(async (file) => (await stat(file)).size))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(400 * KB)
  }
  expect(await cache.read('unread')).toBeNull()
  expect(await cache.read('read')).not.toBeNull()
})

it('survives processes that write and make room at the same time', async () => {
  const caches = [1, 2, 3].map(() => createPictureCache(root, { maxBytes: 200 * KB, folders: 1 }))
  await Promise.all(
    caches.flatMap((cache) => Array.from({ length: 30 }, (_, n) => cache.write(`key ${n}`, Buffer.alloc(20 * KB, n)))),
  )
  for (let n = 0; n < 30; n++) {
    const stored = await caches[0]?.read(`key ${n}`)
    if (stored) expect(stored).toEqual(Buffer.alloc(20 * KB, n))
  }
})
