import { useSearchParams } from 'react-router'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { emailChangeNotice } from './email-change-text'

/** The result of a link that confirms an email change. */
export function EmailChangeNotice() {
  const [params, setParams] = useSearchParams()
  const notice = emailChangeNotice(params.get('emailChange'))
  if (!notice) return null
  return (
    <div className="pb-6">
      <Callout
        tone={notice.tone}
        title={notice.title}
        action={
          <Button size="sm" onClick={() => setParams({}, { replace: true })}>
            OK
          </Button>
        }
      >
        {notice.text}
      </Callout>
    </div>
  )
}
