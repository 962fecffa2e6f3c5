import { formatMoney } from '@x-automated/contract/format'

/** Owners are warned when this share of the spending limit is used. */
const WARNED_FROM = 0.8

/** Converts thousandths of a dollar to cents. */
export const centsOf = (mills: number) => mills / 10

/** How close the month is to its limit. @param messageMills what X charges for a message */
export function spendingState(
  { mills, limitCents }: { mills: number; limitCents: number },
  messageMills: number,
): 'ok' | 'near' | 'reached' {
  if (messageMills > 0 && mills + messageMills > limitCents * 10) return 'reached'
  return mills > 0 && mills >= WARNED_FROM * limitCents * 10 ? 'near' : 'ok'
}

/** Why a call waits if it would exceed the spending limit. */
export function limitText(limitCents: number): string {
  return `This month's X spending limit of ${formatMoney(limitCents)} leaves no room for this. An owner can raise it in Settings → Sending.`
}

/** Why a call waits while the X app has no credits. @param isOwn the workspace brought the app */
export function fundsText(isOwn: boolean): string {
  return isOwn
    ? 'Your X app has no credits left. Add credits at console.x.com. We try again every hour.'
    : 'The X app of this server has no credits left. Its operator has been notified, and we try again every hour.'
}
