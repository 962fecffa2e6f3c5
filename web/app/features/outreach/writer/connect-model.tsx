import { Link } from 'react-router'
import { paths } from '../../../paths'
import { useHasRole } from '../../identity/people/use-role'
import { useModel } from './use-model'

/** One line that says how to connect a model. @param what the feature that does or doesn't need a model */
export function ConnectModel({ what }: { what: string }) {
  const isAdmin = useHasRole('admin')
  return (
    <p className="text-muted">
      {what}{' '}
      {isAdmin ? (
        <Link className="text-link" to={WRITER_SETTINGS}>
          Connect a model
        </Link>
      ) : (
        'An admin can connect a model in Settings.'
      )}
    </p>
  )
}

const WRITER_SETTINGS = `${paths.settings}?tab=ai-writer`

/** Shown below a reply if there is no model. */
export function SuggestionsNeedModel() {
  return (
    useModel() === null && (
      <div className="text-xs">
        <ConnectModel what="Suggested replies need a model." />
      </div>
    )
  )
}
