import type { BillingOverview } from '@x-automated/contract/platform/billing'
import { SUPPORT } from '@x-automated/contract/platform/support'

/** 'Priority support: first answer within 1 business day.' */
export function supportText({ kind, firstAnswer }: Pick<BillingOverview['support'], 'kind' | 'firstAnswer'>): string {
  const { name } = SUPPORT[kind]
  return firstAnswer ? `${name}: first answer within ${firstAnswer}.` : `${name}, without a promised answer time.`
}
