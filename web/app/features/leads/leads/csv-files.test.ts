import { ERROR_TEXT } from '@x-automated/contract/errors'
import { expect, test, vi } from 'vitest'
import { sendImport } from './csv-files'

/** Uploads a file to a fake server that responds with 200 and `line`. */
function uploadAnswered(line: object) {
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
  const order = { file, columns: ['twitter_handle'], basis: 'none' as const, basisSource: '', listName: '' }
  return sendImport(order, () => {}, new AbortController().signal)
}

test('returns the id of the import, or throws the reason for its failure', async () => {
  expect(await uploadAnswered({ import: { id: 'i1' } })).toBe('i1')
  const body = { success: false, code: 'INTERNAL', error: ERROR_TEXT.INTERNAL }
  await expect(uploadAnswered({ failure: { status: 500, body } })).rejects.toMatchObject({
    code: 'INTERNAL',
    message: ERROR_TEXT.INTERNAL,
  })
  await expect(uploadAnswered({ progress: {} })).rejects.toThrow('The connection was lost.')
})
