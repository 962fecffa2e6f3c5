import type { Campaign } from '@x-automated/contract/campaigns'
import { RadioGroup } from '../../ui/choice'

interface ChannelFieldProps {
  value: Campaign['channel']
  onChange: (channel: Campaign['channel']) => void
}

const channels = [
  { value: 'api', label: 'Our servers', hint: 'Through X’s API, whether or not a browser is open.' },
  { value: 'extension', label: 'Your browser', hint: 'Through the extension, as whoever is signed in to X there.' },
] as const

/** Who sends a campaign's messages. */
export function ChannelField({ value, onChange }: ChannelFieldProps) {
  return (
    <RadioGroup
      label="Sent by"
      options={channels}
      value={value}
      onChange={(channel) => onChange(channel as Campaign['channel'])}
    />
  )
}
