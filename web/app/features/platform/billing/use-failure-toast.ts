import { useNavigate } from 'react-router'
import { errorCode } from '../../../api'
import { paths } from '../../../paths'
import { toast } from '../../../ui/toast'

/** Shows an error toast, with a link to plans if a plan limit caused it. */
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
