import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { CsvRecord } from '@x-automated/contract/csv'
import type { FastifyRequest } from 'fastify'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openUploads } from './csv-uploads.ts'

it('a file is read as often as it is asked for, and none of it lies on the disk under a name meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'csv-uploads-test-'))
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })
  const request = { headers: { 'content-type': 'text/csv' }, body: Readable.from([Buffer.from('handle\nana\n')]) }
  await openUploads().receive(request as unknown as FastifyRequest, 'u', async (upload) => {
    const [own, ...others] = await readdir(folder, { recursive: true })
    expect([own, others]).toEqual([expect.stringMatching(/^csv-import-\w+$/), []])
    const read = async () => {
      const records: CsvRecord[] = []
      for await (const record of upload.records()) records.push(record)
      return records
    }
    const records = await read()
    expect(records).toEqual([
      { line: 1, fields: ['handle'] },
      { line: 2, fields: ['ana'] },
    ])
    expect([upload.bytes, upload.bytesRead(), upload.delimiter()]).toEqual([11, 11, ','])
    expect(await read()).toEqual(records)
  })
})
