import { ListChecks } from 'lucide-react'
import { Button } from '../../../ui/button'
import { useHiddenFirstSteps } from './use-hidden-first-steps'

/** A button that shows hidden first steps again. */
export function BackToFirstSteps({ onPress }: { onPress: () => void }) {
  const bringBack = useHiddenFirstSteps()
  if (!bringBack) return null
  return (
    <Button
      icon={<ListChecks aria-hidden />}
      onClick={() => {
        onPress()
        bringBack()
      }}
    >
      Show first steps
    </Button>
  )
}
