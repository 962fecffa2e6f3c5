import type { Reason } from '@x-automated/contract/reason'
import { generatePath, Link } from 'react-router'
import { paths } from '../../../paths'

/** A reason's text. If it names a campaign in quotes, the name is a link. */
export function ReasonText({ text, params }: { text: string; params: Reason['params'] | undefined }) {
  const { campaign, campaignId } = params ?? {}
  const quoted = `“${campaign}”`
  const at = text.indexOf(quoted)
  if (typeof campaignId !== 'string' || at < 0) return text
  return (
    <>
      {text.slice(0, at)}
      <Link
        to={generatePath(paths.campaign, { campaignId })}
        className="rounded-sm underline decoration-line-strong underline-offset-4 hover:decoration-current"
      >
        <bdi>{campaign}</bdi>
      </Link>
      {text.slice(at + quoted.length)}
    </>
  )
}
