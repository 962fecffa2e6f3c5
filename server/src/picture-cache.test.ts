import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile, stat, utimes } from 'node:fs/promises'
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

it('deletes files that nobody has used for 30 days', async () => {
  const cache = createPictureCache(root, { folders: 2 })
  for (const name of ['left', 'used', 'recent']) {
    await cache.write(name, Buffer.from(name))
    const days = name === 'recent' ? 29 : 31
    const then = new Date(Date.now() - days * 24 * 60 * 60 * 1000)
    for (const folder of await readdir(root))
      for (const file of await filesIn(join(root, folder)))
        if ((await readFile(file, 'utf8')) === name) await utimes(file, then, then)
  }
  await cache.read('used')
  await cache.purgeUnused()
  const contents = await Promise.all(['left', 'used', 'recent'].map((name) => cache.read(name)))
  expect(contents.map((bytes) => bytes?.toString())).toEqual([undefined, 'used', 'recent'])
  await createPictureCache(join(root, 'none')).purgeUnused()
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
