import type { Campaign } from '@x-automated/contract/outreach/campaigns'
import { RadioGroup } from '../../../ui/choice'

interface ChannelFieldProps {
  value: Campaign['channel']
  onChange: (channel: Campaign['channel']) => void
}

const channels = [
  { value: 'api', label: 'X API', hint: 'Runs 24/7.' },
  { value: 'extension', label: 'Your browser', hint: 'Via the extension, with the account logged in to X there.' },
] as const

/** Selects how a campaign's messages are sent. */
export function ChannelField({ value, onChange }: ChannelFieldProps) {
  return (
    <RadioGroup
      label="Send from"
      options={channels}
      value={value}
      onChange={(channel) => onChange(channel as Campaign['channel'])}
    />
  )
}
