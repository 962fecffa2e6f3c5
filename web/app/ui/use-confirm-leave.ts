import { useEffect, useRef } from 'react'
import { useBlocker } from 'react-router'
import { useConfirm } from './confirm'
import type { Question } from './confirm-dialog'
import { useConfirmBeforeUnload } from './use-confirm-before-unload'

/** True if the path or the tab changes. Other URL changes keep the draft. */
export function isLeft(
  from: Pick<Location, 'pathname' | 'search'>,
  to: Pick<Location, 'pathname' | 'search'>,
): boolean {
  const tabOf = ({ search }: Pick<Location, 'search'>) => new URLSearchParams(search).get('tab')
  return from.pathname !== to.pathname || tabOf(from) !== tabOf(to)
}

/** Asks before the user leaves the page or closes the tab. @param onLeave called if they leave the page */
export function useConfirmLeave(isUnderWay: boolean, question: Question, onLeave?: () => void): void {
  const confirm = useConfirm()
  const blocker = useBlocker(({ currentLocation, nextLocation }) => isUnderWay && isLeft(currentLocation, nextLocation))
  const isAsking = useRef(false)
  useEffect(() => {
    if (blocker.state !== 'blocked' || isAsking.current) return
    isAsking.current = true
    void confirm(question).then((leave) => {
      isAsking.current = false
      if (!leave) return blocker.reset()
      onLeave?.()
      blocker.proceed()
    })
  })
  useConfirmBeforeUnload(isUnderWay)
}
