import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { WorkspaceScope } from '../actor.ts'
import type { LineProblem } from '../core/people/import.ts'
import { openUploads, removeAbandonedUploads, type Upload } from './csv-uploads.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csv-uploads-test-'))
  vi.stubEnv('TMPDIR', folder)
  return async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  }
})

const callerOf = (workspace: string) => ({ userId: `u of ${workspace}`, workspaceId: workspace as WorkspaceScope })

function uploadsOfTest() {
  const uploads = openUploads(6)
  onTestFinished(() => uploads.close())
  return {
    receive: <T>(text: string, take: (upload: Upload) => Promise<T>, workspace = 'w') => {
      const request = { headers: { 'content-type': 'text/csv' }, body: Readable.from([Buffer.from(text)]) }
      return uploads.receive(request as unknown as FastifyRequest, callerOf(workspace), take)
    },
  }
}

/** Reads the rows of a file, and its rejected lines. */
async function readAll(upload: Upload) {
  const rows: object[] = []
  const rejected: LineProblem[] = []
  for await (const part of upload.read({ domain: 'suppressions' })) {
    rows.push(...JSON.parse(part.rows))
    rejected.push(...part.rejected)
  }
  return { rows, rejected }
}

describe('receive', () => {
  it('provides a file that can be read repeatedly and has no name on disk', async () => {
    await uploadsOfTest().receive('handle\nana\nno-handle\n', async (upload) => {
      expect(await readdir(folder)).toEqual([])
      expect(upload.bytes).toBe(21)
      const read = await readAll(upload)
      expect(read).toEqual({
        rows: [{ line: 2, twitter_handle: 'ana', x_user_id: null, reason: 'import', note: null }],
        rejected: [{ line: 3, problem: 'twitter_handle must be 1 to 15 letters, digits or underscores' }],
      })
      expect(await readAll(upload)).toEqual(read)
    })
  })

  it('stops reading a file whose import has stopped', async () => {
    const uploads = uploadsOfTest()
    const text = `handle\n${'ana\n'.repeat(100_000)}`
    await uploads.receive(text, async (upload) => {
      for await (const part of upload.read({ domain: 'suppressions' })) {
        expect(part.bytesRead).toBeLessThan(text.length)
        break
      }
    })
    // The next file reuses the first one's file descriptor.
    await uploads.receive('handle\nbob\n', async (upload) => {
      expect((await readAll(upload)).rows).toMatchObject([{ twitter_handle: 'bob' }])
    })
  })

  it('leaves nothing on disk when its process is killed', async () => {
    const script = `
      import { Readable } from 'node:stream'
      import { openUploads } from ${JSON.stringify(new URL('./csv-uploads.ts', import.meta.url).href)}
      async function* body() {
        yield Buffer.from('handle\\n')
        process.send('receiving')
        await new Promise(() => {})
      }
      const request = { headers: { 'content-type': 'text/csv' }, body: Readable.from(body()) }
      await openUploads(6).receive(request, { userId: 'u', workspaceId: 'w' }, async () => {})`
    const receiving = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    await once(receiving, 'message')
    receiving.kill('SIGKILL')
    await once(receiving, 'exit')
    expect(await readdir(folder)).toEqual([])
  })

  it('returns 503 if the disk is full', async () => {
    const full = () =>
      Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }))
    await expect(uploadsOfTest().receive('handle\n', full)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      retryAfterSeconds: 60,
    })
  })

  it('rejects a fourth file of one user until another is done', async () => {
    const uploads = uploadsOfTest()
    const ends = [1, 2, 3].map(() => Promise.withResolvers<void>())
    const files = ends.map((end) => uploads.receive('handle\n', () => end.promise))
    await expect(uploads.receive('handle\n', async () => {})).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: 30,
    })
    await uploads.receive('handle\n', async () => {}, 'another')
    ends[0]?.resolve()
    await files[0]
    await uploads.receive('handle\n', async () => {})
    for (const end of ends) end.resolve()
    await Promise.all(files)
  })
})

describe('close', () => {
  it('aborts reads with 503', async () => {
    const uploads = openUploads(6)
    const request = {
      headers: { 'content-type': 'text/csv' },
      body: Readable.from([Buffer.from('ana\n'.repeat(100_000))]),
    }
    const importing = uploads.receive(request as unknown as FastifyRequest, callerOf('w'), async (upload) => {
      for await (const _part of upload.read({ domain: 'suppressions' })) await uploads.close()
    })
    await expect(importing).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

describe('inTurn', () => {
  it('imports one file per workspace at a time, on at most a third of the connections of requests', async () => {
    const uploads = uploadsOfTest()
    const running: string[] = []
    const ends = new Map<string, () => void>()
    /** Uploads a file. Resolves once the file waits for its turn. */
    const begin = (name: string, workspace: string, signal?: AbortSignal) =>
      new Promise<{ imported: Promise<void> }>((resolve) => {
        const imported = uploads.receive(
          'handle\n',
          (upload) => {
            resolve({ imported })
            return upload.inTurn(async () => {
              running.push(name)
              await new Promise<void>((end) => ends.set(name, end))
              running.splice(running.indexOf(name), 1)
            }, signal)
          },
          workspace,
        )
      })
    const stop = new AbortController()
    const all = [await begin('a1', 'a'), await begin('a2', 'a')]
    const stopped = await begin('a3', 'a', stop.signal)
    for (const workspace of ['b', 'c']) all.push(await begin(workspace, workspace))
    await expect.poll(() => running.toSorted()).toEqual(['a1', 'b'])

    stop.abort(new Error('canceled'))
    await expect(stopped.imported).rejects.toThrow('canceled')
    ends.get('b')?.()
    await expect.poll(() => running.toSorted()).toEqual(['a1', 'c'])
    ends.get('a1')?.()
    await expect.poll(() => running.toSorted()).toEqual(['a2', 'c'])
    for (const end of ends.values()) end()
    await Promise.all(all.map(({ imported }) => imported))
  })
})

describe('removeAbandonedUploads', () => {
  it('deletes only files left by killed processes', async () => {
    await mkdir(join(folder, 'csv-import-of-an-older-version'))
    for (const name of ['csv-import-of-an-older-version/sent.csv', 'csv-import-old', 'csv-import-new', 'other'])
      await writeFile(join(folder, name), 'twitter_handle')
    const longAgo = new Date(Date.now() - 61_000)
    for (const name of ['csv-import-of-an-older-version', 'csv-import-old', 'other'])
      await utimes(join(folder, name), longAgo, longAgo)
    await removeAbandonedUploads()
    expect((await readdir(folder)).toSorted()).toEqual(['csv-import-new', 'other'])
  })
})
