import { type CsvRecord, openCsv } from '@x-automated/contract/csv'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readCsv } from './csv-records.ts'

function read(text: string, chunkBytes = 1 << 20): CsvRecord[] {
  const bytes = Buffer.from(text)
  function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  return [...readCsv(chunks()).records]
}

const BAD_QUOTES = 'has a quote that is not closed or not doubled'

describe('readCsv', () => {
  it('reads back any fields with their line numbers, for any chunk size', async () => {
    const field = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\ufeff\r]/g, '')),
      fc.constantFrom('"', 'a "b" c', 'x,y', 'two\nlines', 'two\r\nlines', '\n', ';', "'", ''),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        fc.integer({ min: 1, max: 50 }),
        async (rows, lineEnd, ends, chunkBytes) => {
          // The header decides the delimiter, so it must contain more commas than anything else.
          const all = [['a', 'b', 'c', 'd'], ...rows]
          const text = all.map((row) => row.map((f) => `"${f.replaceAll('"', '""')}"`).join(',')).join(lineEnd)
          let line = 1
          const expected = all.map((fields) => {
            const at = line
            line += 1 + fields.reduce((sum, f) => sum + (f.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
            return { line: at, fields }
          })
          expect(await read(text + (ends ? lineEnd : ''), chunkBytes)).toEqual(expected)
        },
      ),
    )
  })

  it('skips a byte order mark', async () => {
    expect(await read('\ufeffa,b\n1,2')).toEqual([
      { line: 1, fields: ['a', 'b'] },
      { line: 2, fields: ['1', '2'] },
    ])
  })

  it.each([',', ';', '\t'])('detects the delimiter %j in the first line', async (delimiter) => {
    expect(await read(['a', 'b', 'c'].join(delimiter))).toEqual([{ line: 1, fields: ['a', 'b', 'c'] }])
  })

  it.each([
    ['never closed', 'a,b\n"x,1\ny,2\nz,3\n', [2]],
    ['closed by a later quote', 'a,b\n"x,1\ny,"2"\nz,3\n', [2]],
    ['two in a row', 'a,b\n"x,1\n"x,1\ny,2\nz,3\n', [2, 3]],
    ['at the end', 'a,b\ny,2\nz,3\n"x', [4]],
  ])('rejects only the line with a bad quote: %s', async (_name, text, bad) => {
    const records = await read(text)
    expect(records.filter((record) => 'problem' in record)).toMatchObject(
      bad.map((line) => ({ line, problem: BAD_QUOTES })),
    )
    expect(records.flatMap((record) => ('fields' in record ? [record.fields[0]] : []))).toEqual(['a', 'y', 'z'])
  })

  it.each([
    ['inside of a bare field', 'x "q" 5",1', ['x "q" 5"', '1']],
    ['text behind a quoted part', '"x, y" z "w",1', ['"x, y" z "w"', '1']],
    ['a field that begins with one, as it should be', '"""x"" y",1', ['"x" y', '1']],
  ])('reads a stray quote literally: %s', async (_name, text, fields) => {
    for (const cut of [1, 1 << 20])
      expect(await read(`a,b\n${text}\n"m\n""n",2`, cut)).toEqual([
        { line: 1, fields: ['a', 'b'] },
        { line: 2, fields },
        { line: 3, fields: ['m\n"n', '2'] },
      ])
  })

  it('accepts short lines and rejects long ones', async () => {
    expect(await read('a,b,c\nx\n\ny,1,2,\nz,3')).toEqual([
      { line: 1, fields: ['a', 'b', 'c'] },
      { line: 2, fields: ['x'] },
      { line: 3, fields: [''] },
      { line: 4, problem: 'has 4 columns where the first line has 3', cells: ['y', '1', '2', ''], isComplete: true },
      { line: 5, fields: ['z', '3'] },
    ])
  })

  it('rejects short lines that may belong to a badly quoted cell', async () => {
    const short = 'has 1 columns where the first line has 2'
    for (const cell of ['"never closed', '"says "hi" and'])
      expect((await read(`a,b\n${cell},1\nfounder\nmaker\ny,2\nz\n`)).slice(2)).toEqual([
        { line: 3, problem: short, cells: ['founder'] },
        { line: 4, problem: short, cells: ['maker'] },
        { line: 5, fields: ['y', '2'] },
        { line: 6, fields: ['z'] },
      ])
  })

  it.each(['sep=|', '\ufeffsep=|', '"sep=|"', 'SEP=| '])(
    'uses the delimiter declared by a first line %j',
    async (declaration) => {
      for (const end of ['\n', '\r\n'])
        expect(await read([declaration, 'a,a,a|b', 'x|1;2'].join(end))).toEqual([
          { line: 2, fields: ['a,a,a', 'b'] },
          { line: 3, fields: ['x', '1;2'] },
        ])
    },
  )

  it('rejects only the line whose record would exceed 128 KiB', async () => {
    const filler = `${'y'.repeat(99)}\n`.repeat(4_000)
    const records = await read(`a\n"open\n${filler}z`, 64 * 1024)
    expect(records.slice(0, 3)).toEqual([
      { line: 1, fields: ['a'] },
      { line: 2, problem: expect.stringContaining('128 KiB'), cells: ['open'] },
      { line: 3, fields: ['y'.repeat(99)] },
    ])
    expect(records.at(-1)).toEqual({ line: 4_003, fields: ['z'] })
    expect(records).toHaveLength(4_003)
  })

  it.each([
    ['one long line', 'y'.repeat(1_000_000), [2]],
    ['a million empty fields', ','.repeat(1_000_000), [2]],
    ['only quotes', '"'.repeat(1_000_001), [2]],
    ['a quoted field that is never closed', `"y\r\n${'y'.repeat(1_000_000)}`, [2, 3]],
  ])('never buffers more than one record: %s', (_name, text, bad) => {
    for (const end of ['\n', '\r\n', '\r']) {
      const bytes = Buffer.from(`a${end}${text}${end}b${end}`)
      const csv = openCsv(parse)
      const records: CsvRecord[] = []
      let rest = Buffer.alloc(0)
      for (let at = 0; at < bytes.length; at += 10_001) {
        const window = Buffer.concat([rest, bytes.subarray(at, at + 10_001)])
        const reading = csv.read(window, false)
        let next = reading.next()
        for (; !next.done; next = reading.next()) records.push(next.value)
        rest = window.subarray(next.value)
        expect(rest.length).toBeLessThanOrEqual(128 * 1024)
      }
      records.push(...csv.read(rest, true))
      const problem = expect.stringContaining('128 KiB')
      const tooLong = bad.map((line) => ({ line, problem, cells: expect.any(Array) }))
      const after = { line: bad.length + 2, fields: ['b'] }
      expect(records).toEqual([{ line: 1, fields: ['a'] }, ...tooLong, after])
    }
  })

  it('reads the cells at both ends of a line that is too long, for any chunk size', () => {
    for (const note of ['y'.repeat(300_000), 'y'.repeat(128 * 1024)])
      for (const end of ['\n', '\r\n', '\r', ''])
        for (const chunkBytes of [1 << 20, 100_003, 40_001]) {
          const [, record] = read(`a,b,c\nx,${note},z${end}`, chunkBytes)
          expect(record).toMatchObject({ line: 2, problem: expect.stringContaining('128 KiB') })
          const cells = record && 'cells' in record ? (record.cells ?? []) : []
          expect([cells.at(0), cells.at(-1)]).toEqual(['x', 'z'])
        }
  })

  it('reads no records from an empty file', async () => {
    expect(await read('')).toEqual([])
  })
})
