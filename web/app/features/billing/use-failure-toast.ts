import { useNavigate } from 'react-router'
import { errorCode } from '../../api'
import { paths } from '../../paths'
import { toast } from '../../ui/toast'

/** Tells of a failed call; where the plan does not allow what was asked for, with the way to one that does. */
export function useFailureToast(): (error: unknown, text: string) => void {
  const navigate = useNavigate()
  return (error, text) =>
    toast.error(
      text,
      errorCode(error) === 'PLAN_LIMIT'
        ? { action: { label: 'See plans', onClick: () => void navigate(paths.billing) } }
        : {},
    )
}
