import { ERROR_TEXT } from '@x-automated/contract/errors'
import { expect, test, vi } from 'vitest'
import { sendImport } from './csv-files'

/** Answers a file with 200 and this line. */
function answering(line: object) {
  vi.stubGlobal(
    'XMLHttpRequest',
    class {
      upload = {}
      status = 200
      responseText = `${JSON.stringify(line)}\n`
      onload = () => {}
      open() {}
      setRequestHeader() {}
      send() {
        this.onload()
      }
    },
  )
  const file = new File(['twitter_handle'], 'people.csv')
  const order = { file, columns: ['twitter_handle'], basis: 'none' as const, basisSource: '' }
  return sendImport(order, () => {}, new AbortController().signal)
}

test('a file that was sent becomes an import; where it does not, it is said why', async () => {
  expect(await answering({ import: { id: 'i1' } })).toBe('i1')
  const body = { success: false, code: 'INTERNAL', error: ERROR_TEXT.INTERNAL }
  await expect(answering({ failure: { status: 500, body } })).rejects.toMatchObject({
    code: 'INTERNAL',
    message: ERROR_TEXT.INTERNAL,
  })
  await expect(answering({ progress: {} })).rejects.toThrow('The connection broke.')
})
