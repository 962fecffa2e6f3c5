import { expect, test, vi } from 'vitest'
import { signedFetch } from '../../../signed-fetch'
import { addLead } from './referral-offer'

vi.mock('../../../signed-fetch')

test('says why someone was not added as a lead', async () => {
  const result = { imported: 0, updated: 0, rejected: [{ line: 2, problem: 'is on your suppression list' }] }
  vi.mocked(signedFetch).mockResolvedValueOnce(Response.json(result))
  expect(await addLead('ann')).toBe('@ann is on your suppression list.')
  vi.mocked(signedFetch).mockResolvedValueOnce(Response.json({ imported: 1, updated: 0, rejected: [] }))
  expect(await addLead('ann')).toBeNull()
})
